// The reply subject of a delivery, to which its ack goes (spec 2.5).
import { readDecimal, writeDecimal } from '../base/bytes.ts';
import type { FrameWriter } from './frame-writer.ts';

const dot = 46;
const nanosDigits = 9;
const numbersBytesMax = 96;

/**
 * Writes `$JS.ACK.<stream>.<consumer>.<delivery count>.<stream seq>.<consumer seq>.<timestamp ns>.<num pending>`.
 * `prefix` goes to the dot before the numbers; the timestamp comes split, since its nanoseconds are no safe integer.
 */
export function writeAckSubject(
  writer: FrameWriter,
  prefix: Uint8Array,
  deliveryCount: number,
  streamSequence: number,
  consumerSequence: number,
  unixSeconds: number,
  nanos: number,
  pending: number,
): void {
  writer.copy(prefix, 0, prefix.length);
  writer.reserve(numbersBytesMax);
  const { bytes } = writer;
  let at = writeDecimal(bytes, writer.length, deliveryCount);
  at = writeNumber(bytes, at, streamSequence);
  at = writeNumber(bytes, at, consumerSequence);
  if (unixSeconds === 0) {
    at = writeNumber(bytes, at, nanos);
  } else {
    at = writePadded(bytes, writeNumber(bytes, at, unixSeconds), nanos);
  }
  writer.length = writeNumber(bytes, at, pending);
}

function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = dot;
  return writeDecimal(bytes, at + 1, value);
}

function writePadded(bytes: Uint8Array, at: number, nanos: number): number {
  let rest = nanos | 0;
  for (let place = at + nanosDigits - 1; place >= at; place -= 1) {
    const quotient = (rest / 10) | 0;
    bytes[place] = 48 + rest - quotient * 10;
    rest = quotient;
  }
  return at + nanosDigits;
}

/** An ack subject taken apart; names as places in the bytes it was read from. */
export interface AckSubject {
  streamStart: number;
  streamEnd: number;
  consumerStart: number;
  consumerEnd: number;
  deliveryCount: number;
  streamSequence: number;
  consumerSequence: number;
  /** When the message was stored. */
  unixSeconds: number;
  nanos: number;
  pending: number;
}

export function emptyAckSubject(): AckSubject {
  return {
    streamStart: 0,
    streamEnd: 0,
    consumerStart: 0,
    consumerEnd: 0,
    deliveryCount: 0,
    streamSequence: 0,
    consumerSequence: 0,
    unixSeconds: 0,
    nanos: 0,
    pending: 0,
  };
}

const tokensMax = 12;
const tokenEnds = new Int32Array(tokensMax);

/**
 * Reads both forms: 9 tokens, or 11 and more with domain and account hash before the stream. False for anything else,
 * 10 tokens included; `out` is then worth nothing.
 */
export function readAckSubject(bytes: Uint8Array, start: number, end: number, out: AckSubject): boolean {
  const count = splitTokens(bytes, start, end);
  if (count < 9 || count === 10 || !startsWithAck(bytes, start, end)) return false;
  const first = count === 9 ? 2 : 4;
  out.streamStart = tokenStart(first);
  out.streamEnd = tokenEnds[first] as number;
  out.consumerStart = tokenStart(first + 1);
  out.consumerEnd = tokenEnds[first + 1] as number;
  out.deliveryCount = tokenNumber(bytes, first + 2);
  out.streamSequence = tokenNumber(bytes, first + 3);
  out.consumerSequence = tokenNumber(bytes, first + 4);
  out.pending = tokenNumber(bytes, first + 6);
  const areNumbers = Math.min(out.deliveryCount, out.streamSequence, out.consumerSequence, out.pending) >= 0;
  return areNumbers && readTimestamp(bytes, tokenStart(first + 5), tokenEnds[first + 5] as number, out);
}

function readTimestamp(bytes: Uint8Array, start: number, end: number, out: AckSubject): boolean {
  const nanosStart = Math.max(start, end - nanosDigits);
  out.unixSeconds = nanosStart === start ? 0 : readDecimal(bytes, start, nanosStart);
  out.nanos = readDecimal(bytes, nanosStart, end);
  return out.unixSeconds >= 0 && out.nanos >= 0;
}

// Fills tokenEnds, which every reader uses up before the next.
function splitTokens(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  tokenEnds[0] = start - 1;
  for (let at = start; at < end; at += 1) {
    if (bytes[at] !== dot) continue;
    if (count < tokensMax) tokenEnds[count] = at;
    count += 1;
  }
  if (count < tokensMax) tokenEnds[count] = end;
  return count + 1;
}

// Never asked for the first token.
function tokenStart(index: number): number {
  return (tokenEnds[index - 1] as number) + 1;
}

function tokenNumber(bytes: Uint8Array, index: number): number {
  return readDecimal(bytes, tokenStart(index), tokenEnds[index] as number);
}

// `$JS.ACK.`
function startsWithAck(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    end - start > 8 &&
    bytes[start] === 36 &&
    bytes[start + 1] === 74 &&
    bytes[start + 2] === 83 &&
    bytes[start + 3] === dot &&
    bytes[start + 4] === 65 &&
    bytes[start + 5] === 67 &&
    bytes[start + 6] === 75 &&
    bytes[start + 7] === dot
  );
}
