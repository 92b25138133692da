// The dedup window as nats-server shapes it (spec 5.1): a hash map of entries beside an array of them in order
// of arrival. It is the plain one: what `compact` is compared with, in memory and in verdicts.

import { assert } from '../base/assert.ts';
import { hashBytes } from '../base/bytes.ts';
import type { Nanos } from '../base/nanos.ts';
import type { DedupWindow } from './dedup-window.ts';

interface Entry {
  readonly id: string;
  readonly sequence: number;
  readonly storedNs: Nanos;
}

// One JS Map throws at 2^24 entries; sixteen of them hold 268 million.
const shardCount = 16;
const keyPieceBytes = 256;

// V8 without pointer compression: an object of three fields and its boxed time, a string's header, and in a Map
// three words an entry slot and half a word of bucket; a slot of the arrival array.
const entryBytes = 48 + 16;
const stringHeaderBytes = 16;
const mapSlotBytes = 28;
const orderSlotBytes = 8;

/** Costs about 155 bytes an id at 22 characters; one object and one string each. */
export class MapDedupWindow implements DedupWindow {
  readonly kind = 'map';
  readonly #hashSeed: number;
  readonly #shards: readonly Map<string, Entry>[];
  #windowNs: Nanos;
  #lastNs = -Infinity;
  #order: Entry[] = [];
  #oldest = 0;
  #stringBytes = 0;
  #foundKey = '';
  readonly #codes = new Map<number, number[]>();
  #scratch = new Uint8Array(64);

  constructor(windowNs: Nanos, hashSeed: number) {
    assert(windowNs > 0, `windowNs ${windowNs}: a dedup window is longer than 0`);
    this.#windowNs = windowNs;
    this.#hashSeed = hashSeed;
    this.#shards = Array.from({ length: shardCount }, () => new Map<string, Entry>());
  }

  get windowNs(): Nanos {
    return this.#windowNs;
  }

  get entryCount(): number {
    return this.#order.length - this.#oldest;
  }

  /** An estimate from V8's object layout: entry, string, hash table slots and the arrival array. */
  get accountedBytes(): number {
    let bytes = this.#stringBytes + this.entryCount * entryBytes + this.#order.length * orderSlotBytes;
    for (const shard of this.#shards) bytes += mapCapacity(shard.size) * mapSlotBytes;
    return bytes;
  }

  /** Strings are hashed by V8, so there is no hint to give. */
  hashOf(): number {
    return 0;
  }

  touch(): number {
    return 0;
  }

  find(bytes: Uint8Array, start: number, end: number, nowNs: Nanos): number {
    const key = this.#keyOf(bytes, start, end);
    this.#foundKey = key;
    const entry = this.#shardOf(bytes, start, end).get(key);
    if (entry === undefined || nowNs - entry.storedNs >= this.#windowNs) return 0;
    return entry.sequence;
  }

  insert(bytes: Uint8Array, start: number, end: number, sequence: number, nowNs: Nanos): void {
    assert(end > start, 'a message id has at least one byte');
    assert(Number.isSafeInteger(sequence) && sequence > 0, `sequence ${sequence}: a whole number from 1`);
    this.#advance(nowNs);
    const id = spells(this.#foundKey, bytes, start, end) ? this.#foundKey : this.#keyOf(bytes, start, end);
    const entry = { id, sequence, storedNs: nowNs };
    this.#shardOf(bytes, start, end).set(id, entry);
    this.#order.push(entry);
    this.#stringBytes += stringBytes(id);
  }

  expire(nowNs: Nanos, countMax: number): void {
    this.#lastNs = Math.max(this.#lastNs, nowNs);
    const end = Math.min(this.#order.length, this.#oldest + countMax);
    while (this.#oldest < end) {
      const entry = this.#order[this.#oldest] as Entry;
      if (nowNs - entry.storedNs < this.#windowNs) break;
      this.#forget(entry);
      this.#oldest += 1;
    }
    if (this.#oldest * 3 > this.#order.length * 2) this.#compactOrder();
  }

  nextExpiryNs(): Nanos {
    const entry = this.#order[this.#oldest];
    return entry === undefined ? Infinity : entry.storedNs + this.#windowNs;
  }

  setWindow(windowNs: Nanos): void {
    assert(windowNs > 0, `windowNs ${windowNs}: a dedup window is longer than 0`);
    this.expire(this.#lastNs, Infinity);
    this.#windowNs = windowNs;
  }

  forEach(
    visit: (bytes: Uint8Array, start: number, end: number, sequence: number, storedNs: Nanos) => void,
  ): void {
    for (let index = this.#oldest; index < this.#order.length; index += 1) {
      const { id, sequence, storedNs } = this.#order[index] as Entry;
      this.#spell(id);
      visit(this.#scratch, 0, id.length, sequence, storedNs);
    }
  }

  #advance(nowNs: Nanos): void {
    const newest = this.#order[this.#order.length - 1];
    assert(newest === undefined || nowNs >= newest.storedNs, 'the time of an insert never falls');
    this.#lastNs = Math.max(this.#lastNs, nowNs);
  }

  // The id may have been stored again since this entry was over, and must outlive it: nats-server forgets it here
  // (reliability N1), so only the very entry is removed.
  #forget(entry: Entry): void {
    this.#stringBytes -= stringBytes(entry.id);
    this.#spell(entry.id);
    const shard = this.#shardOf(this.#scratch, 0, entry.id.length);
    if (shard.get(entry.id) === entry) shard.delete(entry.id);
  }

  #spell(id: string): void {
    if (id.length > this.#scratch.length) this.#scratch = new Uint8Array(id.length * 2);
    for (let at = 0; at < id.length; at += 1) this.#scratch[at] = id.charCodeAt(at);
  }

  #compactOrder(): void {
    this.#order = this.#order.slice(this.#oldest);
    this.#oldest = 0;
  }

  #shardOf(bytes: Uint8Array, start: number, end: number): Map<string, Entry> {
    const shard = hashBytes(bytes, start, end, this.#hashSeed) & (shardCount - 1);
    return this.#shards[shard] as Map<string, Entry>;
  }

  // One call makes one flat string; adding up characters would leave a rope of twice the size.
  #keyOf(bytes: Uint8Array, start: number, end: number): string {
    if (end - start <= keyPieceBytes) return this.#pieceOf(bytes, start, end);
    const pieces: string[] = [];
    for (let at = start; at < end; at += keyPieceBytes) {
      pieces.push(this.#pieceOf(bytes, at, Math.min(end, at + keyPieceBytes)));
    }
    return pieces.join('');
  }

  #pieceOf(bytes: Uint8Array, start: number, end: number): string {
    let codes = this.#codes.get(end - start);
    if (codes === undefined) {
      codes = Array.from({ length: end - start }, () => 0);
      this.#codes.set(end - start, codes);
    }
    for (let index = start; index < end; index += 1) codes[index - start] = bytes[index] as number;
    return String.fromCharCode(...codes);
  }
}

function spells(key: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (key.length !== end - start) return false;
  for (let index = 0; index < key.length; index += 1) {
    if (key.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}

function stringBytes(id: string): number {
  return stringHeaderBytes + ((id.length + 7) & ~7);
}

// A Map doubles its slots when they are full and starts with four.
function mapCapacity(size: number): number {
  let capacity = 4;
  while (capacity < size) capacity *= 2;
  return capacity;
}
