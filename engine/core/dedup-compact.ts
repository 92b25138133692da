// The dedup window in typed arrays: ids in an arena in order of arrival, an index of integers over it. Exact: a
// hash that is the same is followed by a comparison of the bytes, so a collision never swallows a message.

import { assert } from '../base/assert.ts';
import { hashBytes } from '../base/bytes.ts';
import type { Nanos } from '../base/nanos.ts';
import { DedupArena } from './dedup-arena.ts';
import { DedupIndex, emptySlot, homeSlot, type IndexShard } from './dedup-index.ts';
import type { DedupWindow } from './dedup-window.ts';

export interface CompactDedupOptions {
  /** Keeps only these bits of each hash, so that a test can force collisions. */
  readonly hashMask: number;
}

/**
 * Costs at most 48 bytes an id at 22 characters and 64 at 36, from some ten thousand ids on; memory follows the ids
 * held in both directions. Holds 16 GiB of ids.
 */
export class CompactDedupWindow implements DedupWindow {
  readonly kind = 'compact';
  readonly #hashSeed: number;
  readonly #hashMask: number;
  readonly #arena = new DedupArena();
  readonly #index = new DedupIndex();
  #windowNs: Nanos;
  #lastNs = -Infinity;
  #newestNs = -Infinity;
  // Where the last probe for this hash ended, on an empty slot; true while the index has this version.
  #hash = 0;
  #shard: IndexShard;
  #emptySlot = 0;
  #probedVersion = -1;

  constructor(windowNs: Nanos, hashSeed: number, options: CompactDedupOptions = { hashMask: -1 }) {
    assert(windowNs > 0, `windowNs ${windowNs}: a dedup window is longer than 0`);
    this.#windowNs = windowNs;
    this.#hashSeed = hashSeed | 0;
    this.#hashMask = options.hashMask;
    this.#shard = this.#index.shardOf(0);
  }

  get windowNs(): Nanos {
    return this.#windowNs;
  }

  get entryCount(): number {
    return this.#arena.entryCount;
  }

  get accountedBytes(): number {
    return this.#arena.allocatedBytes + this.#index.allocatedBytes;
  }

  hashOf(bytes: Uint8Array, start: number, end: number): number {
    return hashBytes(bytes, start, end, this.#hashSeed) & this.#hashMask;
  }

  touch(hash: number): number {
    const { slots, slotCount } = this.#index.shardOf(hash);
    return slots[2 * homeSlot(hash, slotCount) + 1] as number;
  }

  find(
    bytes: Uint8Array,
    start: number,
    end: number,
    nowNs: Nanos,
    hash: number = this.hashOf(bytes, start, end),
  ): number {
    const shard = this.#index.shardOf(hash);
    const { slots, slotCount } = shard;
    let slot = homeSlot(hash, slotCount);
    let reference = slots[2 * slot + 1] as number;
    while (reference !== 0) {
      if (slots[2 * slot] === hash && this.#arena.holds(reference, bytes, start, end)) {
        // One that is over stays in the way until it is expired; the id may be stored again behind it.
        if (nowNs - this.#arena.storedNs < this.#windowNs) return this.#arena.sequence;
      }
      slot = slot + 1 === slotCount ? 0 : slot + 1;
      reference = slots[2 * slot + 1] as number;
    }
    this.#remember(hash, shard, slot);
    return 0;
  }

  insert(
    bytes: Uint8Array,
    start: number,
    end: number,
    sequence: number,
    nowNs: Nanos,
    hash: number = this.hashOf(bytes, start, end),
  ): void {
    assert(end > start, 'a message id has at least one byte');
    assert(Number.isSafeInteger(sequence) && sequence > 0, `sequence ${sequence}: a whole number from 1`);
    assert(nowNs >= this.#newestNs, 'the time of an insert never falls');
    // Any id of the same hash may take the slot that `find` ended on.
    if (hash !== this.#hash || this.#probedVersion !== this.#index.version) this.#probeEmpty(hash);
    const reference = this.#arena.append(bytes, start, end, sequence, nowNs);
    this.#index.place(this.#shard, this.#emptySlot, hash, reference);
    this.#newestNs = nowNs;
    if (nowNs > this.#lastNs) this.#lastNs = nowNs;
  }

  expire(nowNs: Nanos, countMax: number): void {
    if (nowNs > this.#lastNs) this.#lastNs = nowNs;
    for (let count = 0; count < countMax; count += 1) {
      if (this.#arena.entryCount === 0 || nowNs - this.#arena.oldestNs < this.#windowNs) return;
      const hash = this.#arena.oldestHash(this.#hashSeed) & this.#hashMask;
      this.#index.remove(hash, this.#arena.oldest());
      this.#arena.dropOldest();
    }
  }

  nextExpiryNs(): Nanos {
    return this.#arena.oldestNs + this.#windowNs;
  }

  setWindow(windowNs: Nanos): void {
    assert(windowNs > 0, `windowNs ${windowNs}: a dedup window is longer than 0`);
    this.expire(this.#lastNs, Infinity);
    this.#windowNs = windowNs;
  }

  forEach(
    visit: (bytes: Uint8Array, start: number, end: number, sequence: number, storedNs: Nanos) => void,
  ): void {
    this.#arena.forEach(visit);
  }

  #probeEmpty(hash: number): void {
    const shard = this.#index.shardOf(hash);
    this.#remember(hash, shard, emptySlot(shard, hash));
  }

  #remember(hash: number, shard: IndexShard, emptySlot: number): void {
    this.#hash = hash;
    this.#shard = shard;
    this.#emptySlot = emptySlot;
    this.#probedVersion = this.#index.version;
  }
}
