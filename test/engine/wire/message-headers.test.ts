import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latin1Text } from '../../../engine/base/bytes.ts';
import { headerBlock, readHeaders, type MessageHeaders } from '../../../engine/wire/message-headers.ts';
import { utf8Bytes } from '../../../engine/wire/utf8.ts';

function read(text: string): MessageHeaders {
  const bytes = utf8Bytes(text);
  return readHeaders(bytes, 0, bytes.length);
}

describe('headerBlock', () => {
  test('puts pairs in order behind version and status', () => {
    const block = headerBlock(
      [
        ['Nats-Msg-Id', 'a'],
        ['X', ''],
      ],
      '408 Request Timeout',
    );
    expect(latin1Text(block, 0, block.length)).toBe(
      'NATS/1.0 408 Request Timeout\r\nNats-Msg-Id: a\r\nX: \r\n\r\n',
    );
    expect(headerBlock([])).toEqual(utf8Bytes('NATS/1.0\r\n\r\n'));
  });

  test.each([
    ['', 'v', 'header name "" is empty or holds CR, LF or a colon'],
    ['a:b', 'v', 'header name "a:b" is empty or holds CR, LF or a colon'],
    ['a\r\nb', 'v', 'header name "a\\r\\nb" is empty or holds CR, LF or a colon'],
    ['a', 'v\nw', 'value of header a holds CR or LF: "v\\nw"'],
  ])('%j: %j is refused', (name, value, message) => {
    expect(() => headerBlock([[name, value]])).toThrow(message);
  });
});

describe('readHeaders', () => {
  test('reads status, description and repeated names', () => {
    const headers = read('NATS/1.0 409 Consumer Deleted\r\nA: 1\r\na:2\r\nA:  3 \r\nno colon\r\n\r\n');
    expect(headers.status).toBe(409);
    expect(headers.description).toBe('Consumer Deleted');
    expect([...headers.values]).toEqual([
      ['A', ['1', '3']],
      ['a', ['2']],
    ]);
  });

  test.each([
    ['NATS/1.0\r\n\r\n', 0, ''],
    ['NATS/1.0 503\r\n\r\n', 503, ''],
    ['NATS/1.0 100 Idle Heartbeat\r\n\r\n', 100, 'Idle Heartbeat'],
    ['', 0, ''],
    ['nonsense', 0, ''],
  ])('%j', (text, status, description) => {
    expect(read(text)).toEqual({ status, description, values: new Map() });
  });

  test('reads what headerBlock builds', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9-]{1,20}$/);
    const value = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, '').trim());
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
        const block = headerBlock(pairs);
        const expected = new Map<string, string[]>();
        for (const [key, text] of pairs) expected.set(key, [...(expected.get(key) ?? []), text]);
        expect(readHeaders(block, 0, block.length)).toEqual({ status: 0, description: '', values: expected });
      }),
      { numRuns: 200 },
    );
  });
});
