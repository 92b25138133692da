// Byte work shared by core, wire and workloads. No Buffer: core compiles without Node's types.

/** A run of bytes inside a larger array; `end` is exclusive. */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Bytes of a text whose characters are all below 256. */
export function latin1Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** Text of bytes taken one character each. Subjects and header names are read with it. */
export function latin1Text(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let index = start; index < end; index += 1) text += String.fromCharCode(bytes[index] as number);
  return text;
}

/** Whether `length` bytes are the same at both places. */
export function sameBytes(
  left: Uint8Array,
  leftStart: number,
  right: Uint8Array,
  rightStart: number,
  length: number,
): boolean {
  for (let index = 0; index < length; index += 1) {
    if (left[leftStart + index] !== right[rightStart + index]) return false;
  }
  return true;
}

/** A 32-bit hash of a byte run; `seed` keys it per process, so that ids cannot be chosen to collide. */
export function hashBytes(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed ^ (end - start);
  for (let index = start; index < end; index += 1) {
    hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Writes `value`, a non-negative integer, in decimal at `at`; returns the position behind it. */
export function writeDecimal(target: Uint8Array, at: number, value: number): number {
  if (value < 10) {
    target[at] = 48 + value;
    return at + 1;
  }
  const end = at + decimalLength(value);
  let rest = value;
  let position = end;
  while (rest > 0x7fff_ffff) {
    const quotient = Math.floor(rest / 10);
    position -= 1;
    target[position] = 48 + (rest - quotient * 10);
    rest = quotient;
  }
  let small = rest | 0;
  while (position > at) {
    const quotient = (small / 10) | 0;
    position -= 1;
    target[position] = 48 + (small - quotient * 10);
    small = quotient;
  }
  return end;
}

/** Decimal digits of a non-negative integer. */
export function decimalLength(value: number): number {
  let length = 1;
  let limit = 10;
  while (value >= limit) {
    length += 1;
    limit *= 10;
  }
  return length;
}

/** The integer in `start` … `end`, or -1 unless those bytes are 1 to 16 decimal digits. */
export function readDecimal(bytes: Uint8Array, start: number, end: number): number {
  if (end <= start || end - start > 16) return -1;
  let value = 0;
  for (let index = start; index < end; index += 1) {
    const digit = (bytes[index] as number) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
