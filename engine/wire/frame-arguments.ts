// Reading of control lines, shared by both directions.
import { readDecimal } from '../base/bytes.ts';
import { carriageReturn, isBlank, lineFeed } from './ascii.ts';

const placesMax = 6;
// nats-server takes no longer size; it also keeps every sum of sizes a safe integer.
const sizeDigitsMax = 9;

/** The arguments of one control line, as places in the array that was scanned. One instance, used again and again. */
export class FrameArguments {
  /** Arguments found, also those beyond the six whose places are kept. */
  count = 0;
  /** Set by `readSizes`. */
  totalBytes = 0;
  headerBytes = 0;
  hasReply = false;
  readonly #starts = new Int32Array(placesMax);
  readonly #ends = new Int32Array(placesMax);

  /** Cuts `start` … `end` at blanks up to the line feed; returns the position behind it, -1 when there is none. */
  scan(bytes: Uint8Array, start: number, end: number): number {
    let count = 0;
    let at = start;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte === lineFeed) {
        this.count = count;
        return at + 1;
      }
      if (isBlank(byte)) {
        at += 1;
        continue;
      }
      const argumentEnd = endOfArgument(bytes, at + 1, end);
      if (count < placesMax) {
        this.#starts[count] = at;
        this.#ends[count] = argumentEnd;
      }
      count += 1;
      at = argumentEnd;
    }
    return -1;
  }

  startOf(index: number): number {
    return this.#starts[index] as number;
  }

  endOf(index: number): number {
    return this.#ends[index] as number;
  }

  /** The size given by an argument, -1 when it is none. */
  sizeAt(bytes: Uint8Array, index: number): number {
    const start = this.startOf(index);
    const end = this.endOf(index);
    return end - start > sizeDigitsMax ? -1 : readDecimal(bytes, start, end);
  }

  /**
   * Reads the end of a message line: `leadCount` arguments, perhaps a reply, then the header size when `hasHeaders`,
   * then the total size. False when the line is not of this form or its header is larger than its total.
   */
  readSizes(bytes: Uint8Array, leadCount: number, hasHeaders: boolean): boolean {
    const { count } = this;
    const plainCount = leadCount + (hasHeaders ? 2 : 1);
    if (count !== plainCount && count !== plainCount + 1) return false;
    this.hasReply = count > plainCount;
    this.totalBytes = this.sizeAt(bytes, count - 1);
    this.headerBytes = hasHeaders ? this.sizeAt(bytes, count - 2) : 0;
    return this.headerBytes >= 0 && this.totalBytes >= this.headerBytes;
  }
}

function endOfArgument(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && !isBlank(bytes[at] as number)) at += 1;
  return at;
}

/** Position behind the next line feed, -1 when there is none before `end`. */
export function lineEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === lineFeed) return at + 1;
  }
  return -1;
}

/** Bytes of the argument part that runs from `start` to the line end behind `end`, without its CRLF or LF. */
export function argumentBytes(bytes: Uint8Array, start: number, end: number): number {
  const isTwoBytes = end - 2 >= start && bytes[end - 2] === carriageReturn;
  return end - start - (isTwoBytes ? 2 : 1);
}

export const opIncomplete = -1;
export const opUnknown = -2;

/**
 * Index of the operation, in upper case in `operations`, that the bytes begin with in any case; `opIncomplete` when
 * more bytes could make one.
 */
export function findOperation(
  operations: readonly string[],
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let found = opUnknown;
  for (const [index, operation] of operations.entries()) {
    const sameCount = sameStart(bytes, start, end, operation);
    if (sameCount === operation.length) return index;
    if (start + sameCount === end) found = opIncomplete;
  }
  return found;
}

function sameStart(bytes: Uint8Array, start: number, end: number, operation: string): number {
  let count = 0;
  while (count < operation.length && start + count < end) {
    if (upperCase(bytes[start + count] as number) !== operation.charCodeAt(count)) break;
    count += 1;
  }
  return count;
}

function upperCase(byte: number): number {
  return byte >= 97 && byte <= 122 ? byte - 32 : byte;
}
