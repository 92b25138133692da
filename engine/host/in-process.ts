import type { EngineLoop } from './engine-loop.ts';

/** A connection without a socket: the same bytes, handed over by calls. */
export interface InProcessConnection {
  /** Takes the bytes over. Always true: nothing is in between that could be behind. */
  write(bytes: Uint8Array): boolean;
  /** The bytes are only valid during the call. */
  onData(handler: (bytes: Uint8Array) => void): void;
  onDrain(handler: () => void): void;
  onClose(handler: (error: Error | null) => void): void;
  close(): void;
}

/** Connects to the broker in this thread. What it sends arrives in later turns of the event loop. */
export function connectInProcess(loop: EngineLoop): InProcessConnection {
  let receive: ((bytes: Uint8Array) => void) | null = null;
  let closed: ((error: Error | null) => void) | null = null;
  const early: Uint8Array[] = [];
  loop.enter();
  const connection = loop.broker.connect('127.0.0.1', {
    pendingBytes: 0,
    write: (bytes) => {
      if (receive === null) early.push(bytes);
      else receive(bytes);
    },
    close: () => closed?.(null),
  });
  return {
    write: (bytes) => {
      loop.enter();
      connection.feed(bytes);
      return true;
    },
    onData: (handler) => {
      receive = handler;
      for (const bytes of early.splice(0)) handler(bytes);
    },
    onDrain: () => {},
    onClose: (handler) => {
      closed = handler;
    },
    close: () => connection.close(),
  };
}
