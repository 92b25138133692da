import type { Epoch, Nanos } from '../base/nanos.ts';
import type { DedupKind } from './dedup-window.ts';
import type { MessageLog } from './message-log.ts';
import type { Profile } from './profile.ts';

/** Something worth telling whoever listens on the advisory subjects (spec 2.7). */
export interface Advisory {
  /** Behind `$JS.EVENT.ADVISORY.` */
  readonly subject: string;
  /** Behind `io.nats.jetstream.advisory.v1.` */
  readonly type: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

export interface CoreLimits {
  /** Server-wide caps; 0 means none. */
  readonly maxDuplicateWindowNs: Nanos;
  readonly maxAckPending: number;
  readonly maxRequestBatch: number;
  readonly maxMemoryBytes: number;
  readonly maxFileBytes: number;
}

/** Bytes that all streams of a storage type count for together. */
interface StorageUsage {
  memory: number;
  file: number;
}

/** What every stream of an engine shares. */
export interface EngineContext {
  readonly log: MessageLog;
  readonly profile: Profile;
  readonly limits: CoreLimits;
  readonly epoch: Epoch;
  readonly dedupKind: DedupKind;
  /** Keys the id hashes of this process; never part of anything replicated. */
  readonly hashSeed: number;
  readonly domain: string | null;
  readonly usage: StorageUsage;
  /** Names given to consumers that asked for none; deterministic by log position. */
  nextName(): string;
  advise(advisory: Advisory): void;
  /** Somebody has to run timers no later than this. */
  timer(dueNs: Nanos): void;
}
