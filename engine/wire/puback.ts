// The answer to a publish (spec 4.1), both ways.
import { decimalLength, latin1Bytes } from '../base/bytes.ts';
import type { FrameWriter } from './frame-writer.ts';
import { utf8Bytes, utf8Text } from './utf8.ts';

/** nats-server 2.9 to 2.11 put a space behind each comma of the prefix, 2.12 and later none. */
export type PubAckSpacing = 'spaced' | 'dense';

const open = latin1Bytes('{"stream":"');
const domainKeys = { spaced: latin1Bytes('", "domain":"'), dense: latin1Bytes('","domain":"') } as const;
const sequenceKeys = { spaced: latin1Bytes('", "seq":'), dense: latin1Bytes('","seq":') } as const;
const close = latin1Bytes('}');
const duplicateClose = latin1Bytes(',"duplicate": true}');

/**
 * The success form. `stream` and `domain` as they stand between the quotes in JSON: a name that holds a quote comes escaped.
 */
export function writePubAck(
  writer: FrameWriter,
  spacing: PubAckSpacing,
  stream: Uint8Array,
  domain: Uint8Array | null,
  sequence: number,
  duplicate: boolean,
): void {
  writeAll(writer, open);
  writeAll(writer, stream);
  if (domain !== null) {
    writeAll(writer, domainKeys[spacing]);
    writeAll(writer, domain);
  }
  writeAll(writer, sequenceKeys[spacing]);
  writer.decimal(sequence);
  writeAll(writer, duplicate ? duplicateClose : close);
}

/** Bytes that `writePubAck` will write: the size in the message line comes before them. */
export function pubAckBytes(
  spacing: PubAckSpacing,
  streamBytes: number,
  domainBytes: number | null,
  sequence: number,
  duplicate: boolean,
): number {
  const domainPart = domainBytes === null ? 0 : domainKeys[spacing].length + domainBytes;
  const end = duplicate ? duplicateClose.length : close.length;
  return (
    open.length + streamBytes + domainPart + sequenceKeys[spacing].length + decimalLength(sequence) + end
  );
}

export interface PubAckError {
  readonly code: number;
  readonly errorCode: number;
  readonly description: string;
}

/** The whole error form; `seq` 0 is part of it. */
export function pubAckErrorBody(stream: string, error: PubAckError): Uint8Array {
  const { code, errorCode, description } = error;
  return utf8Bytes(JSON.stringify({ error: { code, err_code: errorCode, description }, stream, seq: 0 }));
}

/** What a publisher needs of an answer. */
export interface PubAckFields {
  /** 0 in an error. */
  sequence: number;
  duplicate: boolean;
  /** `err_code`, or `code` where there is none; 0 in a success. */
  errorCode: number;
  isError: boolean;
}

export function emptyPubAck(): PubAckFields {
  return { sequence: 0, duplicate: false, errorCode: 0, isError: false };
}

/**
 * Reads a success form of any release without parsing JSON, anything else as JSON. False when it is not a PubAck at
 * all (`out` is then empty).
 */
export function readPubAck(bytes: Uint8Array, start: number, end: number, out: PubAckFields): boolean {
  out.sequence = 0;
  out.duplicate = false;
  out.errorCode = 0;
  out.isError = false;
  return readSuccess(bytes, start, end, out) || readAsJson(bytes, start, end, out);
}

const quote = 34;
const comma = 44;
const colon = 58;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;

// Only what the success forms hold: a flat object of plain strings, integers and `true`. On anything else it gives up.
function readSuccess(bytes: Uint8Array, start: number, end: number, out: PubAckFields): boolean {
  if (bytes[start] !== openBrace || bytes[end - 1] !== closeBrace) return false;
  let sequence = 0;
  let duplicate = false;
  let at = start + 1;
  while (at < end) {
    const keyStart = skipSpaces(bytes, at, end) + 1;
    if (bytes[keyStart - 1] !== quote) return false;
    const keyEnd = endOfString(bytes, keyStart, end);
    if (keyEnd === -1 || bytes[keyEnd + 1] !== colon) return false;
    const valueStart = skipSpaces(bytes, keyEnd + 2, end);
    const valueEnd = endOfValue(bytes, valueStart, end);
    if (valueEnd === -1) return false;
    const keyBytes = keyEnd - keyStart;
    if (keyBytes === 3 && bytes[keyStart] === 115) sequence = digits(bytes, valueStart, valueEnd);
    else if (keyBytes === 9 && bytes[keyStart] === 100) duplicate = bytes[valueStart] === 116;
    else if (keyBytes === 5 && bytes[keyStart] === 101) return false;
    at = skipSpaces(bytes, valueEnd, end);
    if (at === end - 1) break;
    if (bytes[at] !== comma) return false;
    at += 1;
  }
  if (sequence <= 0) return false;
  out.sequence = sequence;
  out.duplicate = duplicate;
  return true;
}

function skipSpaces(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] === 32) at += 1;
  return at;
}

function endOfString(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === quote) return at;
    if (bytes[at] === backslash) return -1;
  }
  return -1;
}

function endOfValue(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] === quote) {
    const close = endOfString(bytes, start + 1, end);
    return close === -1 ? -1 : close + 1;
  }
  let at = start;
  while (at < end && isWordByte(bytes[at] as number)) at += 1;
  return at === start ? -1 : at;
}

function isWordByte(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 122);
}

function digits(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] as number) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

interface PubAckJson {
  readonly stream?: unknown;
  readonly seq?: unknown;
  readonly duplicate?: unknown;
  readonly error?: { readonly code?: unknown; readonly err_code?: unknown };
}

function readAsJson(bytes: Uint8Array, start: number, end: number, out: PubAckFields): boolean {
  const json = parsedObject(utf8Text(bytes, start, end));
  if (json === null) return false;
  if (typeof json.error === 'object' && json.error !== null) {
    out.isError = true;
    out.errorCode = Number(json.error.err_code ?? json.error.code ?? 0);
    return true;
  }
  if (typeof json.stream !== 'string' || typeof json.seq !== 'number' || json.seq <= 0) return false;
  out.sequence = json.seq;
  out.duplicate = json.duplicate === true;
  return true;
}

// A body that is no JSON is somebody else's message, which the caller is told by `false`.
function parsedObject(text: string): PubAckJson | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

function writeAll(writer: FrameWriter, bytes: Uint8Array): void {
  writer.copy(bytes, 0, bytes.length);
}
