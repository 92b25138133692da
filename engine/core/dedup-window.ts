import type { Nanos } from '../base/nanos.ts';

/** The implementations that can be swept against each other (DESIGN D5). */
export type DedupKind = 'map' | 'compact';

/**
 * The message ids a stream remembers. An id is known for `windowNs` after it was stored, half-open: exactly
 * `windowNs` later it is free again. A refused duplicate does not refresh it (case C03), removal of the message
 * does not free it (spec 5.5). Times are batch times and never fall.
 */
export interface DedupWindow {
  readonly kind: DedupKind;
  readonly windowNs: Nanos;
  /** Ids held, expired ones that `expire` has not reached yet included. */
  readonly entryCount: number;
  /** Bytes the structure has allocated for them, by its own account. */
  readonly accountedBytes: number;

  /** The id's hash, keyed for this process: a hint that saves `find` and `insert` computing it. Not replicated. */
  hashOf(bytes: Uint8Array, start: number, end: number): number;

  /**
   * Reads where a `find` for the hash will look, and nothing else. Done for many ids in a row, the cache misses of
   * all of them overlap; each `find` would wait for its own. The result means nothing.
   */
  touch(hash: number): number;

  /** Sequence stored under the id `bytes[start … end)` and still known at `nowNs`, or 0. Changes nothing. */
  find(bytes: Uint8Array, start: number, end: number, nowNs: Nanos, hash?: number): number;

  /** Remembers the id. The caller has just seen `find` answer 0 for it at the same time. */
  insert(bytes: Uint8Array, start: number, end: number, sequence: number, nowNs: Nanos, hash?: number): void;

  /** Forgets ids that are over at `nowNs`, at most `countMax` of them, oldest first. */
  expire(nowNs: Nanos, countMax: number): void;

  /** When the oldest id is over, or Infinity when none is held. */
  nextExpiryNs(): Nanos;

  /** Ids already forgotten stay forgotten when the window grows (spec 5.5). */
  setWindow(windowNs: Nanos): void;

  /** Every id held, in order of arrival: for snapshots and digests. The bytes are only valid during the call. */
  forEach(
    visit: (bytes: Uint8Array, start: number, end: number, sequence: number, storedNs: Nanos) => void,
  ): void;
}
