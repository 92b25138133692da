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

/**
 * Connects to the broker in this thread. What the broker writes arrives in a later turn of the event loop, as from a
 * socket, so that a receiver that answers at once does not enter the broker in the middle of its own.
 */
export function connectInProcess(loop: EngineLoop): InProcessConnection {
  let receive: ((bytes: Uint8Array) => void) | null = null;
  let closed: ((error: Error | null) => void) | null = null;
  const arrived: Uint8Array[] = [];
  let isScheduled = false;
  const hand = (): void => {
    isScheduled = false;
    if (receive !== null) for (const bytes of arrived.splice(0)) receive(bytes);
  };
  const schedule = (): void => {
    if (isScheduled || receive === null) return;
    isScheduled = true;
    setImmediate(hand);
  };
  loop.enter();
  const connection = loop.broker.connect('127.0.0.1', {
    pendingBytes: 0,
    write: (bytes) => {
      arrived.push(bytes);
      schedule();
    },
    close: () => setImmediate(() => closed?.(null)),
  });
  return {
    write: (bytes) => {
      loop.enter();
      connection.feed(bytes);
      return true;
    },
    onData: (handler) => {
      receive = handler;
      schedule();
    },
    onDrain: () => {},
    onClose: (handler) => {
      closed = handler;
    },
    close: () => connection.close(),
  };
}
