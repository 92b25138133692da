// Header blocks built and read in general (spec 1.4). The hot path scans them with engine/base/header-scan.ts.
import { utf8Bytes, utf8Text } from './utf8.ts';

const version = 'NATS/1.0';

/**
 * A block with these pairs in order. `status` is what follows the version, such as `404 No Messages`. Names and values
 * must not hold CR or LF, names no colon: an error says which does.
 */
export function headerBlock(pairs: readonly (readonly [string, string])[], status: string = ''): Uint8Array {
  let text = status === '' ? `${version}\r\n` : `${version} ${status}\r\n`;
  for (const [name, value] of pairs) {
    if (/[\r\n:]/.test(name) || name === '') {
      throw new RangeError(`header name ${JSON.stringify(name)} is empty or holds CR, LF or a colon`);
    }
    if (/[\r\n]/.test(value)) {
      throw new RangeError(`value of header ${name} holds CR or LF: ${JSON.stringify(value)}`);
    }
    text += `${name}: ${value}\r\n`;
  }
  return utf8Bytes(`${text}\r\n`);
}

export interface MessageHeaders {
  /** 0 when the block has none. */
  readonly status: number;
  readonly description: string;
  /** Values by name, case kept, in order of arrival. */
  readonly values: ReadonlyMap<string, string[]>;
}

/** Reads a block leniently: a line without a colon is skipped, a missing version is no status. */
export function readHeaders(bytes: Uint8Array, start: number, end: number): MessageHeaders {
  const [first = '', ...lines] = utf8Text(bytes, start, end).split('\r\n');
  const match = /^NATS\/1\.0 +(\d{3})(?: +(.*))?$/.exec(first);
  const values = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return { status: Number(match?.[1] ?? 0), description: (match?.[2] ?? '').trim(), values };
}
