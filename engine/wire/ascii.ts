// The bytes that the protocol is cut at.
export const tab = 9;
export const lineFeed = 10;
export const carriageReturn = 13;
export const space = 32;

/** Whether a byte parts arguments: SP, TAB, CR or LF (spec 1.1; nats-server takes a stray CR for one too). */
export function isBlank(byte: number): boolean {
  return byte <= space && (byte === space || byte === lineFeed || byte === carriageReturn || byte === tab);
}
