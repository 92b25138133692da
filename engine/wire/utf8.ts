const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Text of JSON and of header values; bytes that are not UTF-8 become U+FFFD. */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}

export function utf8Bytes(text: string): Uint8Array {
  return encoder.encode(text);
}
