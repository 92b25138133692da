// The dedup window in typed arrays: ids in an arena in order of arrival, an index of integers over it. Exact: a
// hash that is the same is followed by a comparison of the bytes, so a collision never swallows a message.

import { assert } from '../base/assert.ts';
import { hashBytes, sameBytes } from '../base/bytes.ts';
import type { Nanos } from '../base/nanos.ts';
import { DedupArena } from './dedup-arena.ts';
import { DedupIndex, homeSlot, type IndexShard } from './dedup-index.ts';
import type { DedupWindow } from './dedup-window.ts';

export interface CompactDedupOptions {
  /** Keeps only these bits of each hash, so that a test can force collisions. */
  readonly hashMask: number;
}

// A longer id is hashed again on insert: telling that it is the one just looked for would cost as much.
const rememberedBytesMax = 64;

/** Costs at most 48 bytes an id at 22 characters, 64 at 36; memory follows the ids held in both directions. */
export class CompactDedupWindow implements DedupWindow {
  readonly kind = 'compact';
  readonly #hashSeed: number;
  readonly #hashMask: number;
  readonly #arena = new DedupArena();
  readonly #index = new DedupIndex();
  #windowNs: Nanos;
  #lastNs = -Infinity;
  #newestNs = -Infinity;
  // The last probe: where it ended, for which bytes, and whether that is still true.
  #hash = 0;
  #shard: IndexShard;
  #slot = 0;
  #probedVersion = -1;
  #probedLength = 0;
  readonly #probedBytes = new Uint8Array(rememberedBytesMax);

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
    return this.#arena.allocatedBytes + this.#index.allocatedBytes + rememberedBytesMax;
  }

  find(bytes: Uint8Array, start: number, end: number, nowNs: Nanos): number {
    const reference = this.#probe(bytes, start, end);
    if (reference === 0 || nowNs - this.#arena.storedNsOf(reference) >= this.#windowNs) return 0;
    return this.#arena.sequenceOf(reference);
  }

  insert(bytes: Uint8Array, start: number, end: number, sequence: number, nowNs: Nanos): void {
    assert(end > start, 'a message id has at least one byte');
    assert(Number.isSafeInteger(sequence) && sequence > 0, `sequence ${sequence}: a whole number from 1`);
    assert(nowNs >= this.#newestNs, 'the time of an insert never falls');
    if (!this.#isProbed(bytes, start, end)) this.#probe(bytes, start, end);
    const reference = this.#arena.append(bytes, start, end, sequence, nowNs);
    this.#index.place(this.#shard, this.#slot, this.#hash, reference);
    this.#newestNs = nowNs;
    if (nowNs > this.#lastNs) this.#lastNs = nowNs;
  }

  expire(nowNs: Nanos, countMax: number): void {
    if (nowNs > this.#lastNs) this.#lastNs = nowNs;
    for (let count = 0; count < countMax && this.#arena.entryCount > 0; count += 1) {
      const reference = this.#arena.oldest();
      if (nowNs - this.#arena.storedNsOf(reference) < this.#windowNs) return;
      this.#index.remove(this.#arena.hashOf(reference, this.#hashSeed) & this.#hashMask, reference);
      this.#arena.dropOldest();
    }
  }

  nextExpiryNs(): Nanos {
    if (this.#arena.entryCount === 0) return Infinity;
    return this.#arena.storedNsOf(this.#arena.oldest()) + this.#windowNs;
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

  /** The entry of this id, over or not, or 0; leaves `#shard` and `#slot` where it is or would be. */
  #probe(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashBytes(bytes, start, end, this.#hashSeed) & this.#hashMask;
    const shard = this.#index.shardOf(hash);
    const { slots, slotCount } = shard;
    let slot = homeSlot(hash, slotCount);
    let reference = slots[2 * slot + 1] as number;
    while (reference !== 0) {
      if (slots[2 * slot] === hash && this.#arena.holds(reference, bytes, start, end)) break;
      slot = slot + 1 === slotCount ? 0 : slot + 1;
      reference = slots[2 * slot + 1] as number;
    }
    this.#hash = hash;
    this.#shard = shard;
    this.#slot = slot;
    this.#remember(bytes, start, end);
    return reference;
  }

  #remember(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.#probedVersion = this.#index.version;
    this.#probedLength = length;
    if (length > rememberedBytesMax) return;
    for (let index = 0; index < length; index += 1) this.#probedBytes[index] = bytes[start + index] as number;
  }

  // The array may have been filled anew since, so the bytes are compared, not their place.
  #isProbed(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    if (length !== this.#probedLength || length > rememberedBytesMax) return false;
    if (this.#probedVersion !== this.#index.version) return false;
    return sameBytes(this.#probedBytes, 0, bytes, start, length);
  }
}
