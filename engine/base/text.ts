// UTF-8 and base64 without the platform's classes, for code that compiles without Node's types.

/** UTF-8 bytes of a text; lone surrogates become U+FFFD. */
export function utf8Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (const character of text) {
    const point = character.codePointAt(0) as number;
    length = writeCodePoint(bytes, length, point >= 0xd800 && point <= 0xdfff ? 0xfffd : point);
  }
  return bytes.slice(0, length);
}

function writeCodePoint(bytes: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    bytes[at] = point;
    return at + 1;
  }
  const continuationCount = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const lead = [0, 0xc0, 0xe0, 0xf0][continuationCount] as number;
  bytes[at] = lead | (point >>> (6 * continuationCount));
  for (let index = 1; index <= continuationCount; index += 1) {
    bytes[at + index] = 0x80 | ((point >>> (6 * (continuationCount - index))) & 0x3f);
  }
  return at + continuationCount + 1;
}

/** Text of UTF-8 bytes; what is not UTF-8 becomes U+FFFD, a byte at a time. */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  let at = start;
  while (at < end) {
    const lead = bytes[at] as number;
    if (lead < 0x80) {
      text += String.fromCharCode(lead);
      at += 1;
      continue;
    }
    const continuationCount = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    const point = readCodePoint(bytes, at, end, continuationCount);
    text += String.fromCodePoint(point < 0 ? 0xfffd : point);
    at += point < 0 ? 1 : continuationCount + 1;
  }
  return text;
}

function readCodePoint(bytes: Uint8Array, at: number, end: number, continuationCount: number): number {
  const lead = bytes[at] as number;
  if (lead < 0xc2 || lead > 0xf4 || at + continuationCount >= end) return -1;
  let point = lead & (0x3f >> continuationCount);
  for (let index = 1; index <= continuationCount; index += 1) {
    const next = bytes[at + index] as number;
    if ((next & 0xc0) !== 0x80) return -1;
    point = point * 64 + (next & 0x3f);
  }
  const least = [0, 0x80, 0x800, 0x10000][continuationCount] as number;
  if (point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return -1;
  return point;
}

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Standard base64 with padding, as the API carries message bytes (spec 2.3, MSG.GET). */
export function base64Text(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at += 3) {
    const group =
      ((bytes[at] as number) << 16) |
      ((at + 1 < end ? (bytes[at + 1] as number) : 0) << 8) |
      (at + 2 < end ? (bytes[at + 2] as number) : 0);
    text += base64Alphabet.charAt(group >>> 18) + base64Alphabet.charAt((group >>> 12) & 63);
    text += at + 1 < end ? base64Alphabet.charAt((group >>> 6) & 63) : '=';
    text += at + 2 < end ? base64Alphabet.charAt(group & 63) : '=';
  }
  return text;
}
