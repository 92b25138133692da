// The look every publish takes at its header block. Names match whole and by case (cases C02), the first
// occurrence wins, an empty value is no value (spec 1.4).

/** Where things are in a header block; positions are into the scanned array. Reused between messages. */
export interface HeaderScan {
  /** The value of Nats-Msg-Id; equal when there is none. */
  idStart: number;
  idEnd: number;
  /** The block holds another `Nats-…` header, so the publish needs the checks of spec 4.3. */
  hasControl: boolean;
}

const carriageReturn = 13;
const colon = 58;
const space = 32;
const prefix = [78, 97, 116, 115, 45]; // Nats-
const messageId = [77, 115, 103, 45, 73, 100]; // Msg-Id

/** Reads one header block, `NATS/1.0…CRLF` to the empty line. Malformed lines are passed over. */
export function scanPublishHeaders(bytes: Uint8Array, start: number, end: number, out: HeaderScan): void {
  out.idStart = 0;
  out.idEnd = 0;
  out.hasControl = false;
  let line = nextLine(bytes, start, end);
  while (line < end && bytes[line] !== carriageReturn) {
    if (!startsWith(bytes, line, end, prefix)) {
      line = nextLine(bytes, line, end);
      continue;
    }
    const name = line + prefix.length;
    const isMessageId = startsWith(bytes, name, end, messageId) && bytes[name + messageId.length] === colon;
    if (isMessageId) line = takeMessageId(bytes, name + messageId.length + 1, end, out);
    else {
      out.hasControl = true;
      line = nextLine(bytes, line, end);
    }
  }
}

function takeMessageId(bytes: Uint8Array, afterColon: number, end: number, out: HeaderScan): number {
  const value = skipSpaces(bytes, afterColon, end);
  const stop = lineEnd(bytes, value, end);
  if (out.idEnd === out.idStart && stop > value) {
    out.idStart = value;
    out.idEnd = stop;
  }
  return stop + 2;
}

/** Value of the first header of that name (exact case), or null. */
export function headerValue(bytes: Uint8Array, start: number, end: number, name: string): string | null {
  let line = nextLine(bytes, start, end);
  while (line < end && bytes[line] !== carriageReturn) {
    if (nameMatches(bytes, line, end, name)) {
      const value = skipSpaces(bytes, line + name.length + 1, end);
      let text = '';
      for (let at = value; at < lineEnd(bytes, value, end); at += 1) {
        text += String.fromCharCode(bytes[at] as number);
      }
      return text;
    }
    line = nextLine(bytes, line, end);
  }
  return null;
}

function nameMatches(bytes: Uint8Array, at: number, end: number, name: string): boolean {
  if (at + name.length >= end || bytes[at + name.length] !== colon) return false;
  for (let index = 0; index < name.length; index += 1) {
    if (bytes[at + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}

function startsWith(bytes: Uint8Array, at: number, end: number, wanted: readonly number[]): boolean {
  if (at + wanted.length >= end) return false;
  for (let index = 0; index < wanted.length; index += 1) {
    if (bytes[at + index] !== wanted[index]) return false;
  }
  return true;
}

function skipSpaces(bytes: Uint8Array, at: number, end: number): number {
  let position = at;
  while (position < end && bytes[position] === space) position += 1;
  return position;
}

function lineEnd(bytes: Uint8Array, at: number, end: number): number {
  let position = at;
  while (position < end && bytes[position] !== carriageReturn) position += 1;
  return position;
}

function nextLine(bytes: Uint8Array, at: number, end: number): number {
  return lineEnd(bytes, at, end) + 2;
}
