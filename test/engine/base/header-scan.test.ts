import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { headerValue, scanPublishHeaders, type HeaderScan } from '../../../engine/base/header-scan.ts';

function block(...lines: readonly string[]): Buffer {
  return Buffer.from(`NATS/1.0\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`, 'latin1');
}

function scan(bytes: Uint8Array, start = 0, end = bytes.length): { id: string; hasControl: boolean } {
  const out: HeaderScan = { idStart: 9, idEnd: 99, hasControl: true };
  scanPublishHeaders(bytes, start, end, out);
  return {
    id: Buffer.from(bytes.subarray(out.idStart, out.idEnd)).toString('latin1'),
    hasControl: out.hasControl,
  };
}

it('finds the message id, and whether anything else asks for checks', () => {
  expect(scan(block('Nats-Msg-Id: a-1', 'Trace: x'))).toEqual({ id: 'a-1', hasControl: false });
  expect(scan(block('Nats-Expected-Stream: T', 'Nats-Msg-Id:a'))).toEqual({ id: 'a', hasControl: true });
  expect(scan(block())).toEqual({ id: '', hasControl: false });
  expect(headerValue(block('A: 1', 'B:2', 'A: 3'), 0, 40, 'A')).toBe('1');
});

it.each([
  ['another case (C02)', 'nats-msg-id: a', '', false],
  ['a longer name', 'Nats-Msg-Id-Too: a', '', true],
  ['a name with something before it', 'X-Nats-Msg-Id: a', '', false],
  ['a shorter name', 'Nats-Msg-I: a', '', true],
  ['no value', 'Nats-Msg-Id:', '', false],
  ['blanks only', 'Nats-Msg-Id:   ', '', false],
  ['blanks behind the value', 'Nats-Msg-Id: a b ', 'a b ', false],
  ['a colon in the value', 'Nats-Msg-Id: a:b', 'a:b', false],
  ['no colon at all', 'Nats-Msg-Id', '', true],
])('%s', (_, line, id, hasControl) => {
  expect(scan(block(line))).toEqual({ id, hasControl });
});

it('the first id counts, an empty one does not', () => {
  expect(scan(block('Nats-Msg-Id: a', 'Nats-Msg-Id: b')).id).toBe('a');
  expect(scan(block('Nats-Msg-Id:', 'Nats-Msg-Id: b')).id).toBe('b');
});

/** Spec 1.4, by splitting text. */
function dumbScan(text: string): { id: string; hasControl: boolean } {
  const lines = text.split('\r\n').slice(1);
  const named = lines.slice(0, lines.indexOf('')).map((line) => {
    const colon = line.indexOf(':');
    return {
      name: colon < 0 ? line : line.slice(0, colon),
      value: line.slice(colon + 1).replace(/^ +/, ''),
      hasColon: colon >= 0,
    };
  });
  const isId = (header: (typeof named)[number]): boolean => header.hasColon && header.name === 'Nats-Msg-Id';
  return {
    id: named.find((header) => isId(header) && header.value !== '')?.value ?? '',
    hasControl: named.some((header) => header.name.startsWith('Nats-') && !isId(header)),
  };
}

it('agrees with splitting the text, wherever the block lies', () => {
  const name = fc.oneof(
    fc.constantFrom('Nats-Msg-Id', 'Nats-Msg-Idx', 'Nats-Rollup', 'nats-Msg-Id', 'N', 'Nats', 'Natsy-x'),
    fc.string({ unit: fc.constantFrom('N', 'a', '-'), minLength: 1, maxLength: 4 }),
  );
  const value = fc.string({ unit: fc.constantFrom('a', ' ', ':', '\u00ff'), maxLength: 5 });
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), fc.nat(7), (headers, offset) => {
      const bytes = block(...headers.map(([own, text]) => `${own}:${text}`));
      const moved = Buffer.concat([
        Buffer.alloc(offset, 'N'),
        bytes,
        Buffer.from('Nats-Rollup: sub\r\n\r\n'),
      ]);
      expect(scan(moved, offset, offset + bytes.length)).toEqual(dumbScan(bytes.toString('latin1')));
      for (const [own] of headers) {
        const first = headers.find(([other]) => other === own)?.[1].replace(/^ +/, '');
        expect(headerValue(moved, offset, offset + bytes.length, own)).toBe(first);
      }
    }),
    { numRuns: 500 },
  );
});

it('ends on any bytes at all', () => {
  const noise = fc.array(fc.constantFrom(13, 10, 58, 32, 78, 97, 116, 115, 45), { maxLength: 60 });
  fc.assert(
    fc.property(noise, fc.constantFrom('', 'NATS/1.0\r\n', 'NATS/1.0\r\nNats-Msg-Id:'), (list, head) => {
      const bytes = Buffer.concat([Buffer.from(head), Uint8Array.from(list)]);
      const out: HeaderScan = { idStart: 0, idEnd: 0, hasControl: false };
      scanPublishHeaders(bytes, 0, bytes.length, out);
      expect(out.idStart <= out.idEnd && out.idEnd <= bytes.length).toBe(true);
      headerValue(bytes, 0, bytes.length, 'Nats');
    }),
    { numRuns: 1000 },
  );
});
