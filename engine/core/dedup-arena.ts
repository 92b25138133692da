// Ids and what is known of them, end to end in chunks, in order of arrival. An entry is
//   varint(length * 2 + isWide) · sequence · storedNs · id bytes, padded to four bytes,
// with sequence and time as varints above the chunk's first entry, or, where one does not fit, both as doubles.
// A chunk whose last id has been dropped is let go. Entries are named by a 32-bit reference, never zero.

import { assert } from '../base/assert.ts';
import { hashBytes, sameBytes } from '../base/bytes.ts';
import type { Nanos } from '../base/nanos.ts';

/** Names an entry: chunk number in the high 16 bits, offset / 4 within the chunk in the low 16. */
export type EntryReference = number;

interface Chunk {
  readonly bytes: Uint8Array;
  readonly number: number;
  baseSequence: number;
  baseNs: Nanos;
  used: number;
  next: Chunk | undefined;
}

const chunkBytesMin = 1024;
// 65 535 chunks of this size hold 16 GiB, which is what a reference can name.
const chunkBytesMax = 0x4_0000;
const chunkCountMax = 0xffff;
const headerBytesMax = 3 + 16;
const sequenceDeltaMax = 2 ** 28;
const timeDeltaMax = 2 ** 35;

export class DedupArena {
  readonly #chunks: (Chunk | undefined)[] = [undefined];
  readonly #freeNumbers: number[] = [];
  #head: Chunk | undefined;
  #tail: Chunk | undefined;
  #headOffset = 0;
  #oldestNs: Nanos = Infinity;
  #oldestStart = 0;
  #oldestEnd = 0;
  #entryCount = 0;
  #allocatedBytes = 0;
  #spare: Uint8Array | undefined;
  readonly #double = new Float64Array(1);
  readonly #doubleBytes = new Uint8Array(this.#double.buffer);
  // Where `#open` has left the fields of the entry it read.
  #idStart = 0;
  #idLength = 0;
  #sequence = 0;
  #storedNs: Nanos = 0;

  get entryCount(): number {
    return this.#entryCount;
  }

  get allocatedBytes(): number {
    return this.#allocatedBytes;
  }

  append(bytes: Uint8Array, start: number, end: number, sequence: number, storedNs: Nanos): EntryReference {
    const length = end - start;
    const chunk = this.#chunkFor(headerBytesMax + length, sequence, storedNs);
    const offset = chunk.used;
    let at = this.#writeHeader(chunk, length, sequence, storedNs);
    const target = chunk.bytes;
    for (let index = start; index < end; index += 1) {
      target[at] = bytes[index] as number;
      at += 1;
    }
    chunk.used = (at + 3) & ~3;
    this.#entryCount += 1;
    if (this.#entryCount === 1) this.#openHead(chunk, offset);
    return (chunk.number << 16) | (offset >>> 2);
  }

  /** Whether the entry's id is these bytes. If so, `sequence` and `storedNs` are this entry's until the next call. */
  holds(reference: EntryReference, bytes: Uint8Array, start: number, end: number): boolean {
    const chunk = this.#chunks[reference >>> 16] as Chunk;
    this.#open(chunk, (reference & 0xffff) << 2);
    const length = end - start;
    return this.#idLength === length && sameBytes(chunk.bytes, this.#idStart, bytes, start, length);
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
    return (head.number << 16) | (this.#headOffset >>> 2);
  }

  oldestHash(seed: number): number {
    const head = this.#head;
    assert(head !== undefined, 'an empty arena has no oldest entry');
    return hashBytes(head.bytes, this.#oldestStart, this.#oldestEnd, seed);
  }

  dropOldest(): void {
    const head = this.#head;
    assert(head !== undefined, 'an empty arena has no oldest entry');
    this.#entryCount -= 1;
    const next = (this.#oldestEnd + 3) & ~3;
    if (next < head.used) {
      this.#openHead(head, next);
      return;
    }
    this.#letGo(head);
    if (head.next === undefined) this.#oldestNs = Infinity;
    else this.#openHead(head.next, 0);
  }

  forEach(
    visit: (bytes: Uint8Array, start: number, end: number, sequence: number, storedNs: Nanos) => void,
  ): void {
    let offset = this.#headOffset;
    for (let chunk = this.#head; chunk !== undefined; chunk = chunk.next) {
      while (offset < chunk.used) {
        this.#open(chunk, offset);
        const end = this.#idStart + this.#idLength;
        offset = (end + 3) & ~3;
        visit(chunk.bytes, this.#idStart, end, this.#sequence, this.#storedNs);
      }
      offset = 0;
    }
  }

  #openHead(head: Chunk, offset: number): void {
    this.#open(head, offset);
    this.#headOffset = offset;
    this.#oldestNs = this.#storedNs;
    this.#oldestStart = this.#idStart;
    this.#oldestEnd = this.#idStart + this.#idLength;
  }

  #chunkFor(entryBytes: number, sequence: number, storedNs: Nanos): Chunk {
    const tail = this.#tail;
    if (tail !== undefined && tail.used + entryBytes <= tail.bytes.length) return tail;
    return this.#addChunk(entryBytes, sequence, storedNs);
  }

  #addChunk(entryBytes: number, baseSequence: number, baseNs: Nanos): Chunk {
    const number = this.#freeNumbers.pop() ?? this.#chunks.length;
    assert(number <= chunkCountMax, 'a compact dedup window holds at most 16 GiB of ids');
    const chunk: Chunk = {
      bytes: this.#chunkBytes(entryBytes),
      number,
      baseSequence,
      baseNs,
      used: 0,
      next: undefined,
    };
    this.#chunks[number] = chunk;
    if (this.#tail === undefined) this.#head = chunk;
    else this.#tail.next = chunk;
    this.#tail = chunk;
    return chunk;
  }

  // Small windows have small chunks: a chunk is at most a 32nd of what is there.
  #chunkBytes(entryBytes: number): Uint8Array {
    const spare = this.#spare;
    if (spare !== undefined && spare.length >= entryBytes) {
      this.#spare = undefined;
      return spare;
    }
    const wanted = Math.min(chunkBytesMax, Math.max(chunkBytesMin, this.#allocatedBytes >>> 5));
    const length = (Math.max(wanted, entryBytes) + 3) & ~3;
    this.#allocatedBytes += length;
    return new Uint8Array(length);
  }

  // One chunk is kept for the next turn, so that a steady stream does not allocate, unless it is much of the whole.
  #letGo(chunk: Chunk): void {
    this.#chunks[chunk.number] = undefined;
    this.#freeNumbers.push(chunk.number);
    this.#head = chunk.next;
    if (chunk.next === undefined) this.#tail = undefined;
    const isSpare = chunk.bytes.length === chunkBytesMax && this.#spare === undefined;
    if (isSpare) this.#spare = chunk.bytes;
    else this.#allocatedBytes -= chunk.bytes.length;
    if (this.#spare !== undefined && this.#spare.length * 8 > this.#allocatedBytes) {
      this.#allocatedBytes -= this.#spare.length;
      this.#spare = undefined;
    }
  }

  #writeHeader(chunk: Chunk, length: number, sequence: number, storedNs: Nanos): number {
    const sequenceDelta = sequence - chunk.baseSequence;
    const timeDelta = storedNs - chunk.baseNs;
    const isNarrow =
      sequenceDelta >= 0 &&
      sequenceDelta < sequenceDeltaMax &&
      timeDelta < timeDeltaMax &&
      Math.floor(timeDelta) === timeDelta &&
      chunk.baseNs + timeDelta === storedNs;
    const at = writeVarint(chunk.bytes, chunk.used, length * 2 + (isNarrow ? 0 : 1));
    if (isNarrow) return writeVarint(chunk.bytes, writeVarint(chunk.bytes, at, sequenceDelta), timeDelta);
    return this.#writeDouble(chunk.bytes, this.#writeDouble(chunk.bytes, at, sequence), storedNs);
  }

  #open(chunk: Chunk, offset: number): void {
    const bytes = chunk.bytes;
    const code = readVarint(bytes, offset);
    let at = offset + varintBytes(code);
    if (code & 1) {
      this.#sequence = this.#readDouble(bytes, at);
      this.#storedNs = this.#readDouble(bytes, at + 8);
      at += 16;
    } else {
      this.#sequence = chunk.baseSequence + readVarint(bytes, at);
      at = behindVarint(bytes, at);
      this.#storedNs = chunk.baseNs + readVarint(bytes, at);
      at = behindVarint(bytes, at);
    }
    this.#idStart = at;
    this.#idLength = code >>> 1;
  }

  #writeDouble(bytes: Uint8Array, at: number, value: number): number {
    this.#double[0] = value;
    bytes.set(this.#doubleBytes, at);
    return at + 8;
  }

  #readDouble(bytes: Uint8Array, at: number): number {
    for (let index = 0; index < 8; index += 1) this.#doubleBytes[index] = bytes[at + index] as number;
    return this.#double[0] as number;
  }
}

// Seven bits a byte, low ones first; up to 35 bits, so that only a fifth byte leaves 32-bit arithmetic.

function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  if (rest >= 0x1000_0000) {
    const high = Math.floor(rest / 0x1000_0000);
    const low = rest - high * 0x1000_0000;
    bytes[at] = (low & 0x7f) | 0x80;
    bytes[at + 1] = ((low >>> 7) & 0x7f) | 0x80;
    bytes[at + 2] = ((low >>> 14) & 0x7f) | 0x80;
    bytes[at + 3] = (low >>> 21) | 0x80;
    at += 4;
    rest = high;
  }
  while (rest >= 0x80) {
    bytes[at] = (rest & 0x7f) | 0x80;
    at += 1;
    rest >>>= 7;
  }
  bytes[at] = rest;
  return at + 1;
}

function readVarint(bytes: Uint8Array, start: number): number {
  let byte = bytes[start] as number;
  let value = byte & 0x7f;
  if (byte < 0x80) return value;
  let at = start;
  for (let shift = 7; shift < 28; shift += 7) {
    at += 1;
    byte = bytes[at] as number;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return value + (bytes[at + 1] as number) * 0x1000_0000;
}

function behindVarint(bytes: Uint8Array, start: number): number {
  let at = start;
  while ((bytes[at] as number) >= 0x80) at += 1;
  return at + 1;
}

function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  return value < 0x4000 ? 2 : 3;
}
