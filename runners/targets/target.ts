// What is loaded. A target is opened for one trial and closed after it, with nothing left behind.

import type { Transport } from '../transport.ts';

/** Where the load generators connect, and what is known about who answers. */
export interface OpenTarget {
  /** `nats://127.0.0.1:port` for the official client, which sets up and reads back; an in-process target listens for it too. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly server: ServerIdentity;
  /** Opens a connection without a socket, in this thread; null when workers connect to host and port. */
  readonly connectInProcess: (() => Transport) | null;
  /** What can be observed from outside while it runs. */
  readonly probes: TargetProbes;
  /** Ends it and removes what it stored. Safe to call twice. */
  close(): Promise<void>;
}

export interface ServerIdentity {
  readonly name: string; // 'oncemark-engine' | 'nats-server'
  readonly version: string;
  readonly profile: string | null; // the engine's: 'strict' | 'nats-2.15.1' …
  readonly storage: string; // label shown beside every figure: 'memory', 'file (no sync)', 'file, fdatasync per batch'
  readonly flags: readonly string[];
}

export interface TargetProbes {
  /** Process to read CPU time and resident memory of; null when it is not on this machine. */
  readonly pid: number | null;
  /** Live bytes of the server's heap after a forced collection, or null when it cannot be had. */
  liveHeapBytes(): Promise<number | null>;
  /** Entries and bytes of the dedup window as the server itself counts them, or null. */
  dedup(): Promise<{ readonly entryCount: number; readonly bytes: number } | null>;
}

export interface Target {
  /** As the user wrote it: `engine`, `nats-server:PATH`, `nats://…`, `inproc`, `scripted`. */
  readonly spec: string;
  open(): Promise<OpenTarget>;
}
