import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { base64Text, utf8Bytes, utf8Text } from '../../../engine/base/text.ts';

it('is UTF-8 both ways', () => {
  expect([...utf8Bytes('aä€😀')]).toEqual([0x61, 0xc3, 0xa4, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80]);
  expect(utf8Text(new Uint8Array([0x3c, 0xc3, 0xa4, 0x3e]), 1, 3)).toBe('ä');
});

it('agrees with Buffer on every text, lone surrogates included', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'a', '\u07ff', '\u0800', '\uffff') }),
      ),
      (text) => {
        expect(Buffer.from(utf8Bytes(text)).equals(Buffer.from(text, 'utf8'))).toBe(true);
      },
    ),
  );
});

it('agrees with TextDecoder on all UTF-8, byte order marks included', () => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf8');
      expect(utf8Text(bytes, 0, bytes.length)).toBe(decoder.decode(bytes));
    }),
  );
});

it('agrees with TextDecoder on which bytes are UTF-8', () => {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const isUtf8 = (bytes: Uint8Array): boolean => {
    try {
      strict.decode(bytes);
      return true;
    } catch {
      return false;
    }
  };
  const byte = fc.oneof(
    fc.constantFrom(
      0x61,
      0x80,
      0xbf,
      0xc0,
      0xc1,
      0xc2,
      0xdf,
      0xe0,
      0xed,
      0xef,
      0xf0,
      0xf4,
      0xf5,
      0xff,
      0xa0,
      0x9f,
      0x90,
      0x8f,
    ),
    fc.integer({ min: 0, max: 255 }),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 6 }), (list) => {
      const bytes = Uint8Array.from(list);
      const marked = utf8Text(bytes, 0, bytes.length).includes('\ufffd');
      const holdsMark = Buffer.from(bytes).includes('\ufffd');
      if (!holdsMark) expect(marked).toBe(!isUtf8(bytes));
    }),
    { numRuns: 2000 },
  );
});

it('marks a byte that is not UTF-8 and goes on behind it', () => {
  expect(utf8Text(new Uint8Array([0x61, 0xff, 0x62]), 0, 3)).toBe('a\ufffdb');
  expect(utf8Text(new Uint8Array([0xe2, 0x82]), 0, 2)).toBe('\ufffd\ufffd');
});

it('is base64 as Buffer writes it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(5), (bytes, start) => {
      const from = Math.min(start, bytes.length);
      expect(base64Text(bytes, from, bytes.length)).toBe(
        Buffer.from(bytes.subarray(from)).toString('base64'),
      );
    }),
  );
});
