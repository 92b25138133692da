// What a golden script runs on: bytes to a server, bytes back, and a clock. A real nats-server sleeps, the engine
// jumps; the scripts cannot tell.

/** One client connection. Handlers are set before the first byte is due. */
export interface GoldenConnection {
  send(bytes: Uint8Array): void;
  close(): void;
}

export interface ConnectionHandlers {
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onClose: () => void;
}

/** Something that a script may ask for with `needs`; a script that needs more than a target has is skipped on it. */
export type Capability = 'restart';

export interface GoldenTarget {
  /**
   * Names of the answer blocks that hold here, the most telling first: `2.9.10`, or `nats` and `2.15.1`.
   * A block without a name holds everywhere else.
   */
  readonly labels: readonly string[];
  readonly capabilities: ReadonlySet<Capability>;
  /** How much later than it should an answer may come by the machine's fault; 0 under virtual time. */
  readonly lateNs: number;
  connect(handlers: ConnectionHandlers): Promise<GoldenConnection>;
  /** Nanoseconds since an instant of the target's choice. */
  nowNs(): number;
  /** Lets time pass up to `untilNs`; returns at the first moment at which `done` holds. */
  pass(untilNs: number, done: () => boolean): Promise<void>;
  /** Ends the server in good order and starts it again on the same store. Connections are closed. */
  restart(): Promise<void>;
  /** The same after SIGKILL. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** All that an in-process server under virtual time has to offer to become a target. */
export interface VirtualServer {
  /** Opens a connection; the server's bytes (INFO first) come to the handlers, during the call or later. */
  connect(handlers: ConnectionHandlers): GoldenConnection;
  nowNs(): number;
  /** Moves the clock; everything due up to `atNs`, and everything that was sent, is done when it returns. */
  advanceTo(atNs: number): void | Promise<void>;
  /** Ends and starts it again on the same store: in good order, or (`hard`) as SIGKILL does. Absent: it cannot. */
  restart?(hard: boolean): void | Promise<void>;
}

const stepNs = 1e6;

/** A target that never sleeps: time moves in steps of one millisecond until the script has what it waits for. */
export function virtualTarget(server: VirtualServer, labels: readonly string[]): GoldenTarget {
  const restart = (hard: boolean): Promise<void> => Promise.resolve(server.restart?.(hard));
  return {
    labels,
    capabilities: new Set(server.restart === undefined ? [] : ['restart' as const]),
    lateNs: 0,
    connect: (handlers) => Promise.resolve(server.connect(handlers)),
    nowNs: () => server.nowNs(),
    async pass(untilNs, done) {
      await server.advanceTo(server.nowNs());
      while (!done() && server.nowNs() < untilNs) {
        await server.advanceTo(Math.min(server.nowNs() + stepNs, untilNs));
      }
    },
    restart: () => restart(false),
    kill: () => restart(true),
    close: () => Promise.resolve(),
  };
}
