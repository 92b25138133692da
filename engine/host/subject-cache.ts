import { assert } from '../base/assert.ts';

const dot = 46;
const keyBytesAverage = 64;

/**
 * Bounded map from subject bytes to a result, for the path of every message: nothing is allocated by a look-up.
 * A key is a whole subject, or a subject up to and including its last dot, which then stands for every last token.
 * Entry 0 is nobody, so that tables of zeros are empty ones.
 */
export class SubjectCache<R> {
  readonly #seed: number;
  readonly #entryCountMax: number;
  readonly #slots: Int32Array;
  readonly #keys: Uint8Array;
  readonly #keyStarts: Int32Array;
  readonly #keyLengths: Int32Array;
  readonly #hashes: Int32Array;
  readonly #entrySlots: Int32Array;
  readonly #results: R[] = [];
  #entryCount = 0;
  #keyBytes = 0;
  #lastWhole = 0;
  #lastPrefix = 0;

  /** `entryCountMax` is a power of two. */
  constructor(seed: number, entryCountMax: number) {
    assert(
      entryCountMax > 0 && (entryCountMax & (entryCountMax - 1)) === 0,
      'entryCountMax is a power of two',
    );
    this.#seed = seed;
    this.#entryCountMax = entryCountMax;
    this.#slots = new Int32Array(entryCountMax * 2);
    this.#keys = new Uint8Array(entryCountMax * keyBytesAverage);
    this.#keyStarts = new Int32Array(entryCountMax + 1);
    this.#keyLengths = new Int32Array(entryCountMax + 1);
    this.#hashes = new Int32Array(entryCountMax + 1);
    this.#entrySlots = new Int32Array(entryCountMax + 1);
  }

  /** The entry for a subject, or 0. Tried first: those of the last whole subject and of the last prefix. */
  find(bytes: Uint8Array, start: number, end: number): number {
    if (this.#holds(this.#lastWhole, bytes, start, end - start)) return this.#lastWhole;
    const prefixLength = lengthToLastDot(bytes, start, end);
    if (prefixLength === end - start) return 0; // a subject that ends in a dot is no key, or it would be a prefix
    if (this.#holds(this.#lastPrefix, bytes, start, prefixLength)) return this.#lastPrefix;
    return this.#findHashed(bytes, start, end, prefixLength);
  }

  resultOf(entry: number): R {
    return this.#results[entry - 1] as R;
  }

  /** Remembers a result for the subject, or with `forPrefix` for all that differ in the last token alone. */
  insert(bytes: Uint8Array, start: number, end: number, forPrefix: boolean, result: R): void {
    const prefixLength = lengthToLastDot(bytes, start, end);
    const isPrefix = forPrefix && prefixLength > 0;
    const length = isPrefix ? prefixLength : end - start;
    if (prefixLength === end - start || length > this.#keys.length) return;
    if (this.#entryCount === this.#entryCountMax || this.#keyBytes + length > this.#keys.length) this.clear();
    let state = mix(this.#seed, bytes, start, start + prefixLength);
    if (!isPrefix) state = mix(state, bytes, start + prefixLength, end);
    this.#place(finish(state), bytes, start, length);
    this.#results.push(result);
    if (isPrefix) this.#lastPrefix = this.#entryCount;
    else this.#lastWhole = this.#entryCount;
  }

  /** Costs as much as was inserted since the last time, so that a row of changes costs nothing. */
  clear(): void {
    for (let entry = 1; entry <= this.#entryCount; entry += 1) {
      this.#slots[this.#entrySlots[entry] as number] = 0;
    }
    this.#results.length = 0;
    this.#entryCount = 0;
    this.#keyBytes = 0;
    this.#lastWhole = 0;
    this.#lastPrefix = 0;
  }

  #findHashed(bytes: Uint8Array, start: number, end: number, prefixLength: number): number {
    let state = this.#seed;
    if (prefixLength > 0) {
      state = mix(state, bytes, start, start + prefixLength);
      const entry = this.#probe(finish(state), bytes, start, prefixLength);
      if (entry !== 0) {
        this.#lastPrefix = entry;
        return entry;
      }
    }
    const entry = this.#probe(
      finish(mix(state, bytes, start + prefixLength, end)),
      bytes,
      start,
      end - start,
    );
    if (entry !== 0) this.#lastWhole = entry;
    return entry;
  }

  #probe(hash: number, bytes: Uint8Array, start: number, length: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const entry = this.#slots[slot] as number;
      if (entry === 0) return 0;
      if (this.#hashes[entry] === hash && this.#holds(entry, bytes, start, length)) return entry;
      slot = (slot + 1) & mask;
    }
  }

  #place(hash: number, bytes: Uint8Array, start: number, length: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#entryCount += 1;
    const entry = this.#entryCount;
    this.#slots[slot] = entry;
    this.#entrySlots[entry] = slot;
    this.#hashes[entry] = hash;
    this.#keyStarts[entry] = this.#keyBytes;
    this.#keyLengths[entry] = length;
    for (let index = 0; index < length; index += 1) {
      this.#keys[this.#keyBytes + index] = bytes[start + index] as number;
    }
    this.#keyBytes += length;
  }

  // From the end, where subjects in a row differ.
  #holds(entry: number, bytes: Uint8Array, start: number, length: number): boolean {
    if (this.#keyLengths[entry] !== length || length === 0) return false;
    const keys = this.#keys;
    const keyStart = this.#keyStarts[entry] as number;
    for (let offset = length - 1; offset >= 0; offset -= 1) {
      if (keys[keyStart + offset] !== bytes[start + offset]) return false;
    }
    return true;
  }
}

function lengthToLastDot(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && bytes[at - 1] !== dot) at -= 1;
  return at - start;
}

// Four bytes a step where hashBytes takes one: this is on the way of every message, and its hashes are never stored.
function mix(seed: number, bytes: Uint8Array, start: number, end: number): number {
  let state = seed;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    state = Math.imul(state ^ word, 0x85ebca6b);
    state ^= state >>> 15;
  }
  for (; at < end; at += 1) state = Math.imul(state ^ (bytes[at] as number), 0x01000193);
  return state;
}

function finish(state: number): number {
  const mixed = Math.imul(state ^ (state >>> 16), 0xc2b2ae35);
  return mixed ^ (mixed >>> 13);
}
