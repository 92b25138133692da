// The logical id of an operation: (publisher, counter), dense for each publisher. It is written twice, as text into
// the message id header and as bytes into the payload, so that a body can be judged without trusting headers.

import { assert } from '../engine/base/assert.ts';
import type { Nanos } from '../engine/base/nanos.ts';
import { Prng } from '../engine/base/prng.ts';

/** Bytes of the id in a payload: publisher u16, counter u48, attempt u8, a zero, due u48, crc32 of those 16 (big endian). */
export const bodyIdBytes = 20;
/** Smaller payloads are refused by every plan. */
export const payloadBytesMin = 24;
/** Shorter message ids have no room for a prefix that keeps two trials apart. */
export const idLengthMin = 12;
export const publisherMax = 0xffff;
/** Counters have six digits of base 64 in the message id. */
export const counterMax = 2 ** 36 - 1;

const dueUnknown = 2 ** 48 - 1;
const counterDigits = 6;
const publisherDigits = 3;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
const digits = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));

/** What a body says of itself. */
export interface BodyId {
  publisher: number;
  counter: number;
  /** 0 for the first attempt of the id. */
  attempt: number;
  /** When the operation was due, in nanoseconds since the start of the trial; NaN when the body does not say. */
  dueNs: Nanos;
}

/**
 * A message id of `idLength` characters for one publisher, its counter all zeros: a prefix drawn from `trialKey`, so that two
 * trials never share ids, then three characters of publisher and six of counter. Copy it and patch the counter.
 */
export function messageIdTemplate(trialKey: string, idLength: number, publisher: number): Uint8Array {
  assert(idLength >= idLengthMin, `idLength ${idLength} is below ${idLengthMin}`);
  assert(
    publisher >= 0 && publisher <= publisherMax,
    `publisher ${publisher} is not in 0 to ${publisherMax}`,
  );
  const id = new Uint8Array(idLength).fill(digits[0] as number);
  const prng = new Prng(trialKey);
  const prefixEnd = idLength - counterDigits - publisherDigits;
  for (let at = 0; at < prefixEnd; at += 1) id[at] = digits[prng.uint32() % 62] as number;
  writeThreeDigits(id, prefixEnd, publisher);
  return id;
}

/** Writes the counter into the last six characters of a message id that ends at `end`. */
export function writeMessageIdCounter(bytes: Uint8Array, end: number, counter: number): void {
  assert(counter <= counterMax, 'counter above six digits of base 64');
  const high = Math.floor(counter / 0x4_0000);
  writeThreeDigits(bytes, end - 6, high);
  writeThreeDigits(bytes, end - 3, counter - high * 0x4_0000);
}

/** The counter at the end of a message id, or -1 unless those six characters are digits of ours. */
export function readMessageIdCounter(bytes: Uint8Array, end: number): number {
  let counter = 0;
  for (let at = end - counterDigits; at < end; at += 1) {
    const digit = digitValues[bytes[at] as number] as number;
    if (digit < 0) return -1;
    counter = counter * 64 + digit;
  }
  return counter;
}

const digitValues = new Int8Array(256).fill(-1);
digits.forEach((code, value) => {
  digitValues[code] = value;
});

function writeThreeDigits(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = digits[(value >>> 12) & 63] as number;
  bytes[at + 1] = digits[(value >>> 6) & 63] as number;
  bytes[at + 2] = digits[value & 63] as number;
}

/** Writes the id and its crc at `at`: 20 bytes. A due moment outside 0 … 2^48 - 2 (78 hours) is written as unknown. */
export function writeBodyId(
  bytes: Uint8Array,
  at: number,
  publisher: number,
  counter: number,
  attempt: number,
  dueNs: Nanos = Number.NaN,
): void {
  const counterHigh = Math.floor(counter / 0x1_0000_0000);
  writeWord(bytes, at, ((publisher << 16) | counterHigh) >>> 0);
  writeWord(bytes, at + 4, (counter - counterHigh * 0x1_0000_0000) >>> 0);
  const due = dueNs >= 0 && dueNs < dueUnknown ? Math.floor(dueNs) : dueUnknown;
  const dueHigh = Math.floor(due / 0x1_0000_0000);
  writeWord(bytes, at + 8, ((attempt << 24) | dueHigh) >>> 0);
  writeWord(bytes, at + 12, (due - dueHigh * 0x1_0000_0000) >>> 0);
  writeWord(bytes, at + 16, crc32Of16(bytes, at));
}

/** Reads the id of a body of `length` bytes at `at` into `out`; false (and `out` untouched) when the crc is wrong or the body too short. */
export function readBodyId(bytes: Uint8Array, at: number, length: number, out: BodyId): boolean {
  if (length < bodyIdBytes || crc32Of16(bytes, at) !== readWord(bytes, at + 16)) return false;
  const first = readWord(bytes, at);
  out.publisher = first >>> 16;
  out.counter = (first & 0xffff) * 0x1_0000_0000 + readWord(bytes, at + 4);
  const third = readWord(bytes, at + 8);
  out.attempt = third >>> 24;
  const due = (third & 0xffff) * 0x1_0000_0000 + readWord(bytes, at + 12);
  out.dueNs = due === dueUnknown ? Number.NaN : due;
  return true;
}

/** A payload to copy ids into: filler that depends on the seed alone and does not compress. */
export function payloadTemplate(seed: string, payloadBytes: number): Uint8Array {
  assert(payloadBytes >= payloadBytesMin, `payloadBytes ${payloadBytes} is below ${payloadBytesMin}`);
  const prng = new Prng(`${seed}/payload`);
  return new Uint8Array(payloadBytes).map((_, index) => (index < bodyIdBytes ? 0 : prng.uint32() & 0xff));
}

function writeWord(bytes: Uint8Array, at: number, word: number): void {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
}

function readWord(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16);
  return (high | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0;
}

// CRC-32 (IEEE), four bytes a step: table k holds the crc of a byte followed by k zeros.
const tables = crcTables();

function crcTables(): Uint32Array {
  const result = new Uint32Array(1024);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    result[byte] = crc;
  }
  for (let index = 256; index < 1024; index += 1) {
    const before = result[index - 256] as number;
    result[index] = (before >>> 8) ^ (result[before & 0xff] as number);
  }
  return result;
}

function crc32Of16(bytes: Uint8Array, at: number): number {
  let crc = 0xffff_ffff;
  for (let step = at; step < at + 16; step += 4) {
    const first = tables[768 + ((crc ^ (bytes[step] as number)) & 0xff)] as number;
    const second = tables[512 + (((crc >>> 8) ^ (bytes[step + 1] as number)) & 0xff)] as number;
    const third = tables[256 + (((crc >>> 16) ^ (bytes[step + 2] as number)) & 0xff)] as number;
    crc = first ^ second ^ third ^ (tables[(crc >>> 24) ^ (bytes[step + 3] as number)] as number);
  }
  return ~crc >>> 0;
}
