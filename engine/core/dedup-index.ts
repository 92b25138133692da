// Where each hash leads: open addressing over pairs of 32-bit integers, cut in shards by the hash's top bits. A
// shard grows by a factor of 1.41 when it is four fifths full, and is split in two at a fixed size, so the longest
// pause is one shard's copy however many ids there are, and memory follows the count closely. The whole hash is
// kept, so neither growth nor splitting reads an id. It knows nothing of ids: whoever probes compares them.

import { assert } from '../base/assert.ts';
import { pageIntegers, releaseIntegers, reserveIntegers } from './dedup-memory.ts';

// A full shard of at least this many entries is split; it then has at most 1.42 times as many.
const splitEntriesMin = 12_288;
const mergeEntriesMax = 4096;
// Slots an entry when a table is made, and its growth: two steps a doubling, 10 to 14.2 bytes an entry.
const slotsPerEntry = 1.25 * Math.SQRT2;
// Tables take whole pages.
const slotsMin: number = pageIntegers / 2;
const depthMax = 20;

/** One run of slots; `slots[2 * n]` is a hash and `slots[2 * n + 1]` a reference, 0 for an empty slot. */
export interface IndexShard {
  slots: Int32Array;
  slotCount: number;
  entryCount: number;
  /** How many top bits of the hash all its entries share. */
  depth: number;
}

/** The slot where probing for a hash starts. Its product depends on every bit below the shard's. */
export function homeSlot(hash: number, slotCount: number): number {
  return ((Math.imul(hash, 0x9e3779b1) >>> 16) * slotCount) >>> 16;
}

/** The empty slot where probing for a hash ends. */
export function emptySlot(shard: IndexShard, hash: number): number {
  const { slots, slotCount } = shard;
  let slot = homeSlot(hash, slotCount);
  while (slots[2 * slot + 1] !== 0) slot = slot + 1 === slotCount ? 0 : slot + 1;
  return slot;
}

export class DedupIndex {
  #shards: IndexShard[] = [emptyShard(slotsMin, 0)];
  #depth = 0;
  #deepestCount = 1;
  #version = 0;
  #slotCount = slotsMin;

  /** Changes whenever a slot that was found before may no longer be the right one. */
  get version(): number {
    return this.#version;
  }

  get allocatedBytes(): number {
    return this.#slotCount * 8;
  }

  shardOf(hash: number): IndexShard {
    return this.#shards[shardNumber(hash, this.#depth)] as IndexShard;
  }

  /** Puts a reference at `slot`, the empty slot where probing `shard` for `hash` ends. */
  place(shard: IndexShard, slot: number, hash: number, reference: number): void {
    shard.slots[2 * slot] = hash;
    shard.slots[2 * slot + 1] = reference;
    shard.entryCount += 1;
    this.#version += 1;
    if (shard.entryCount * 5 > shard.slotCount * 4) this.#grow(shard, hash);
  }

  /** Removes this very reference; another one under the same hash or id stays (reliability N1). */
  remove(hash: number, reference: number): void {
    const shard = this.shardOf(hash);
    const { slots, slotCount } = shard;
    let slot = homeSlot(hash, slotCount);
    while (slots[2 * slot + 1] !== reference) {
      assert(slots[2 * slot + 1] !== 0, 'every id in the arena is in the index');
      slot = slot + 1 === slotCount ? 0 : slot + 1;
    }
    this.#version += 1;
    closeGap(shard, slot);
    shard.entryCount -= 1;
    if (shard.entryCount * 4 < slotCount) this.#shrink(shard, hash);
  }

  #grow(shard: IndexShard, hash: number): void {
    if (shard.entryCount >= splitEntriesMin && shard.depth < depthMax) this.#split(shard, hash);
    else this.#resize(shard, slotsFor(shard.entryCount));
  }

  #shrink(shard: IndexShard, hash: number): void {
    let isMerged = false;
    while (this.#merge(hash)) isMerged = true;
    if (!isMerged && shard.slotCount > slotsMin) this.#resize(shard, slotsFor(shard.entryCount));
  }

  #resize(shard: IndexShard, slotCount: number): void {
    const old = shard.slots;
    this.#slotCount += slotCount - shard.slotCount;
    shard.slots = reserveIntegers(slotCount * 2);
    shard.slotCount = slotCount;
    addAll(shard, old);
    releaseIntegers(old);
  }

  #split(shard: IndexShard, hash: number): void {
    if (shard.depth === this.#depth) this.#doubleShards();
    const depth = shard.depth + 1;
    const old = shard.slots;
    const highCount = countWithBit(old, depth);
    const low = emptyShard(slotsFor(shard.entryCount - highCount), depth);
    const high = emptyShard(slotsFor(highCount), depth);
    distribute(old, low, high);
    releaseIntegers(old);
    this.#slotCount += low.slotCount + high.slotCount - shard.slotCount;
    const span = 2 ** (this.#depth - depth);
    const first = shardNumber(hash, shard.depth) * span * 2;
    this.#shards.fill(low, first, first + span);
    this.#shards.fill(high, first + span, first + 2 * span);
    if (depth === this.#depth) this.#deepestCount += 2;
  }

  // Two halves of one shard become it again when together they are few.
  #merge(hash: number): boolean {
    const shard = this.shardOf(hash);
    if (shard.depth === 0) return false;
    const span = 2 ** (this.#depth - shard.depth);
    const number = shardNumber(hash, shard.depth);
    const other = this.#shards[(number ^ 1) * span] as IndexShard;
    const entryCount = shard.entryCount + other.entryCount;
    if (other.depth !== shard.depth || entryCount > mergeEntriesMax) return false;
    const merged = emptyShard(slotsFor(entryCount), shard.depth - 1);
    addAll(merged, shard.slots);
    addAll(merged, other.slots);
    releaseIntegers(shard.slots);
    releaseIntegers(other.slots);
    merged.entryCount = entryCount;
    this.#slotCount += merged.slotCount - shard.slotCount - other.slotCount;
    const first = (number & ~1) * span;
    this.#shards.fill(merged, first, first + 2 * span);
    if (shard.depth === this.#depth) this.#deepestCount -= 2;
    while (this.#deepestCount === 0) this.#halveShards();
    return true;
  }

  #doubleShards(): void {
    this.#shards = this.#shards.flatMap((shard) => [shard, shard]);
    this.#depth += 1;
    this.#deepestCount = 0;
  }

  #halveShards(): void {
    this.#shards = this.#shards.filter((_, number) => number % 2 === 0);
    this.#depth -= 1;
    this.#deepestCount = 0;
    for (const shard of this.#shards) if (shard.depth === this.#depth) this.#deepestCount += 1;
  }
}

function emptyShard(slotCount: number, depth: number): IndexShard {
  return { slots: reserveIntegers(slotCount * 2), slotCount, entryCount: 0, depth };
}

function slotsFor(entryCount: number): number {
  return Math.max(slotsMin, Math.ceil((entryCount * slotsPerEntry) / slotsMin) * slotsMin);
}

function shardNumber(hash: number, depth: number): number {
  return depth === 0 ? 0 : hash >>> (32 - depth);
}

function countWithBit(slots: Int32Array, depth: number): number {
  let count = 0;
  for (let at = 0; at < slots.length; at += 2) {
    if (slots[at + 1] !== 0) count += ((slots[at] as number) >>> (32 - depth)) & 1;
  }
  return count;
}

function distribute(slots: Int32Array, low: IndexShard, high: IndexShard): void {
  for (let at = 0; at < slots.length; at += 2) {
    if (slots[at + 1] === 0) continue;
    const hash = slots[at] as number;
    const shard = ((hash >>> (32 - low.depth)) & 1) === 0 ? low : high;
    addPair(shard, hash, slots[at + 1] as number);
    shard.entryCount += 1;
  }
}

function addAll(shard: IndexShard, slots: Int32Array): void {
  for (let at = 0; at < slots.length; at += 2) {
    if (slots[at + 1] !== 0) addPair(shard, slots[at] as number, slots[at + 1] as number);
  }
}

function addPair(shard: IndexShard, hash: number, reference: number): void {
  const slot = emptySlot(shard, hash);
  shard.slots[2 * slot] = hash;
  shard.slots[2 * slot + 1] = reference;
}

// Entries behind the gap move up unless that would put them before their home (no tombstones, so probes stay short).
function closeGap(shard: IndexShard, start: number): void {
  const { slots, slotCount } = shard;
  let gap = start;
  let slot = gap;
  for (;;) {
    slot = slot + 1 === slotCount ? 0 : slot + 1;
    if (slots[2 * slot + 1] === 0) break;
    const home = homeSlot(slots[2 * slot] as number, slotCount);
    const fromHome = slot >= home ? slot - home : slot - home + slotCount;
    const fromGap = slot >= gap ? slot - gap : slot - gap + slotCount;
    if (fromHome < fromGap) continue;
    slots[2 * gap] = slots[2 * slot] as number;
    slots[2 * gap + 1] = slots[2 * slot + 1] as number;
    gap = slot;
  }
  slots[2 * gap] = 0;
  slots[2 * gap + 1] = 0;
}
