// Ids and what is known of them, end to end in chunks, in order of arrival. An entry is a header and the id's
// bytes, four to an integer. The header is two integers,
//   length (7 bits) | sequence above the chunk's base (16) | high part of the time (9),  low part of the time (32)
// with the time in nanoseconds above the chunk's first entry; or, where one of these does not fit, six:
//   0, length, sequence as a double, time as a double.
// A chunk whose last id is dropped is given back. Entries are named by a 32-bit reference, never zero.

import { assert } from '../base/assert.ts';
import { hashBytes } from '../base/bytes.ts';
import type { Nanos } from '../base/nanos.ts';
import { pageIntegers, releaseIntegers, reserveIntegers } from './dedup-memory.ts';

/** Names an entry: chunk number in the high 16 bits, place of its first integer within the chunk in the low 16. */
export type EntryReference = number;

interface Chunk {
  readonly integers: Int32Array;
  readonly number: number;
  readonly baseSequence: number;
  readonly baseNs: Nanos;
  used: number;
  next: Chunk | undefined;
}

// 65 535 chunks of 256 KiB hold 16 GiB, which is what a reference can name.
const chunkIntegersMax = 0x1_0000;
const chunkCountMax = 0xffff;
const narrowIntegers = 2;
const wideIntegers = 6;
const narrowLengthMax = 0x7f;
const narrowSequenceMax = 0xffff;
const lowTimeSpan = 2 ** 32;
const narrowTimeMax = 2 ** 41 - 1;

export class DedupArena {
  readonly #chunks: (Chunk | undefined)[] = [undefined];
  readonly #freeNumbers: number[] = [];
  #head: Chunk | undefined;
  #tail: Chunk | undefined;
  #headPlace = 0;
  #oldestNs: Nanos = Infinity;
  #entryCount = 0;
  #integerCount = 0;
  #spare: Int32Array | undefined;
  #unpacked = new Uint8Array(256);
  readonly #doubles = new Float64Array(2);
  readonly #doubleHalves = new Int32Array(this.#doubles.buffer);
  // Where `#open` has left the fields of the entry it read.
  #idPlace = 0;
  #idLength = 0;
  #sequence = 0;
  #storedNs: Nanos = 0;

  get entryCount(): number {
    return this.#entryCount;
  }

  get allocatedBytes(): number {
    return this.#integerCount * 4 + this.#unpacked.length;
  }

  append(bytes: Uint8Array, start: number, end: number, sequence: number, storedNs: Nanos): EntryReference {
    const length = end - start;
    const chunk = this.#chunkFor(wideIntegers + integersFor(length), sequence, storedNs);
    const place = chunk.used;
    const idPlace = this.#writeHeader(chunk, length, sequence, storedNs);
    packBytes(chunk.integers, idPlace, bytes, start, end);
    chunk.used = idPlace + integersFor(length);
    this.#entryCount += 1;
    if (this.#entryCount === 1) this.#openHead(chunk, place);
    return (chunk.number << 16) | place;
  }

  /** Whether the entry's id is these bytes. If so, `sequence` and `storedNs` are this entry's until the next call. */
  holds(reference: EntryReference, bytes: Uint8Array, start: number, end: number): boolean {
    const chunk = this.#chunks[reference >>> 16] as Chunk;
    this.#open(chunk, reference & 0xffff);
    return this.#idLength === end - start && isPacked(chunk.integers, this.#idPlace, bytes, start, end);
  }

  get sequence(): number {
    return this.#sequence;
  }

  get storedNs(): Nanos {
    return this.#storedNs;
  }

  /** When the oldest entry was stored, or Infinity when there is none. */
  get oldestNs(): Nanos {
    return this.#oldestNs;
  }

  /** The oldest entry. Only with `entryCount` above zero. */
  oldest(): EntryReference {
    const head = this.#head;
    assert(head !== undefined, 'an empty arena has no oldest entry');
    return (head.number << 16) | this.#headPlace;
  }

  oldestHash(seed: number): number {
    const head = this.#head;
    assert(head !== undefined, 'an empty arena has no oldest entry');
    this.#open(head, this.#headPlace);
    return hashBytes(this.#unpack(head), 0, this.#idLength, seed);
  }

  dropOldest(): void {
    const head = this.#head;
    assert(head !== undefined, 'an empty arena has no oldest entry');
    this.#open(head, this.#headPlace);
    this.#entryCount -= 1;
    const next = this.#idPlace + integersFor(this.#idLength);
    if (next < head.used) this.#openHead(head, next);
    else this.#dropHead(head);
  }

  forEach(
    visit: (bytes: Uint8Array, start: number, end: number, sequence: number, storedNs: Nanos) => void,
  ): void {
    let place = this.#headPlace;
    for (let chunk = this.#head; chunk !== undefined; chunk = chunk.next) {
      while (place < chunk.used) {
        this.#open(chunk, place);
        place = this.#idPlace + integersFor(this.#idLength);
        visit(this.#unpack(chunk), 0, this.#idLength, this.#sequence, this.#storedNs);
      }
      place = 0;
    }
  }

  #openHead(head: Chunk, place: number): void {
    this.#open(head, place);
    this.#headPlace = place;
    this.#oldestNs = this.#storedNs;
  }

  #dropHead(head: Chunk): void {
    this.#chunks[head.number] = undefined;
    this.#freeNumbers.push(head.number);
    this.#head = head.next;
    this.#giveBack(head.integers);
    if (head.next !== undefined) {
      this.#openHead(head.next, 0);
      return;
    }
    this.#tail = undefined;
    this.#oldestNs = Infinity;
  }

  #chunkFor(entryIntegers: number, sequence: number, storedNs: Nanos): Chunk {
    const tail = this.#tail;
    if (tail !== undefined && tail.used + entryIntegers <= tail.integers.length) return tail;
    return this.#addChunk(this.#reserve(entryIntegers), sequence, storedNs);
  }

  #addChunk(integers: Int32Array, baseSequence: number, baseNs: Nanos): Chunk {
    const number = this.#freeNumbers.pop() ?? this.#chunks.length;
    assert(number <= chunkCountMax, 'a compact dedup window holds at most 16 GiB of ids');
    const chunk: Chunk = { integers, number, baseSequence, baseNs, used: 0, next: undefined };
    this.#chunks[number] = chunk;
    if (this.#tail === undefined) this.#head = chunk;
    else this.#tail.next = chunk;
    this.#tail = chunk;
    return chunk;
  }

  // Small windows have small chunks: a chunk is at most a 32nd of what is there, or one page.
  #reserve(entryIntegers: number): Int32Array {
    const spare = this.#spare;
    if (spare !== undefined && spare.length >= entryIntegers) {
      this.#spare = undefined;
      return spare;
    }
    const share = Math.floor(this.#integerCount / 32 / pageIntegers) * pageIntegers;
    const integers = reserveIntegers(Math.max(Math.min(chunkIntegersMax, share), entryIntegers));
    this.#integerCount += integers.length;
    return integers;
  }

  // One chunk is kept for the next turn, so that a steady stream does not map memory, unless it is much of the whole.
  #giveBack(integers: Int32Array): void {
    if (this.#spare === undefined) this.#spare = integers;
    else this.#release(integers);
    if (this.#spare.length * 16 <= this.#integerCount) return;
    this.#release(this.#spare);
    this.#spare = undefined;
  }

  #release(integers: Int32Array): void {
    this.#integerCount -= integers.length;
    releaseIntegers(integers);
  }

  #writeHeader(chunk: Chunk, length: number, sequence: number, storedNs: Nanos): number {
    const sequenceDelta = sequence - chunk.baseSequence;
    const timeDelta = storedNs - chunk.baseNs;
    const isNarrow =
      length <= narrowLengthMax &&
      sequenceDelta >= 0 &&
      sequenceDelta <= narrowSequenceMax &&
      timeDelta <= narrowTimeMax &&
      Math.floor(timeDelta) === timeDelta &&
      chunk.baseNs + timeDelta === storedNs;
    if (!isNarrow) return this.#writeWideHeader(chunk, length, sequence, storedNs);
    const highTime = Math.floor(timeDelta / lowTimeSpan);
    chunk.integers[chunk.used] = length | (sequenceDelta << 7) | (highTime << 23);
    chunk.integers[chunk.used + 1] = timeDelta - highTime * lowTimeSpan;
    return chunk.used + narrowIntegers;
  }

  #writeWideHeader(chunk: Chunk, length: number, sequence: number, storedNs: Nanos): number {
    chunk.integers[chunk.used] = 0;
    chunk.integers[chunk.used + 1] = length;
    this.#doubles[0] = sequence;
    this.#doubles[1] = storedNs;
    chunk.integers.set(this.#doubleHalves, chunk.used + 2);
    return chunk.used + wideIntegers;
  }

  #open(chunk: Chunk, place: number): void {
    const integers = chunk.integers;
    const first = integers[place] as number;
    if (first === 0) {
      this.#openWide(integers, place);
      return;
    }
    this.#idLength = first & narrowLengthMax;
    this.#sequence = chunk.baseSequence + ((first >>> 7) & narrowSequenceMax);
    this.#storedNs = chunk.baseNs + (first >>> 23) * lowTimeSpan + ((integers[place + 1] as number) >>> 0);
    this.#idPlace = place + narrowIntegers;
  }

  #openWide(integers: Int32Array, place: number): void {
    this.#idLength = integers[place + 1] as number;
    for (let half = 0; half < 4; half += 1) this.#doubleHalves[half] = integers[place + 2 + half] as number;
    this.#sequence = this.#doubles[0] as number;
    this.#storedNs = this.#doubles[1] as number;
    this.#idPlace = place + wideIntegers;
  }

  // The opened entry's id, at the start of an array that the next call overwrites.
  #unpack(chunk: Chunk): Uint8Array {
    if (this.#idLength + 3 > this.#unpacked.length) this.#unpacked = new Uint8Array(this.#idLength * 2);
    const target = this.#unpacked;
    const end = this.#idPlace + integersFor(this.#idLength);
    let at = 0;
    for (let place = this.#idPlace; place < end; place += 1) {
      const four = chunk.integers[place] as number;
      target[at] = four;
      target[at + 1] = four >>> 8;
      target[at + 2] = four >>> 16;
      target[at + 3] = four >>> 24;
      at += 4;
    }
    return target;
  }
}

function integersFor(byteCount: number): number {
  return (byteCount + 3) >>> 2;
}

function packBytes(target: Int32Array, start: number, bytes: Uint8Array, from: number, end: number): void {
  let place = start;
  let at = from;
  for (; at + 4 <= end; at += 4) {
    target[place] = fourBytes(bytes, at);
    place += 1;
  }
  if (at < end) target[place] = lastBytes(bytes, at, end);
}

function isPacked(packed: Int32Array, start: number, bytes: Uint8Array, from: number, end: number): boolean {
  let place = start;
  let at = from;
  for (; at + 4 <= end; at += 4) {
    if (packed[place] !== fourBytes(bytes, at)) return false;
    place += 1;
  }
  return at === end || packed[place] === lastBytes(bytes, at, end);
}

function fourBytes(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function lastBytes(bytes: Uint8Array, start: number, end: number): number {
  let packed = 0;
  for (let at = start; at < end; at += 1) packed |= (bytes[at] as number) << ((at - start) * 8);
  return packed;
}
