import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import {
  decimalLength,
  hashBytes,
  latin1Bytes,
  latin1Text,
  readDecimal,
  sameBytes,
  writeDecimal,
} from '../../../engine/base/bytes.ts';

it('is one character a byte', () => {
  const bytes = latin1Bytes('a\u0000\u00ff');
  expect([...bytes]).toEqual([97, 0, 255]);
  expect(latin1Text(bytes, 1, 3)).toBe('\u0000\u00ff');
});

it('writes decimals as String does, up to the largest safe integer', () => {
  const edges = fc.constantFrom(
    0,
    9,
    10,
    99,
    100,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    Number.MAX_SAFE_INTEGER,
  );
  fc.assert(
    fc.property(fc.oneof(edges, fc.maxSafeNat()), (value) => {
      const target = new Uint8Array(20).fill(46);
      const end = writeDecimal(target, 2, value);
      expect(latin1Text(target, 2, end)).toBe(String(value));
      expect([target[1], target[end]]).toEqual([46, 46]);
      expect(decimalLength(value)).toBe(String(value).length);
      expect(readDecimal(target, 2, end)).toBe(value);
    }),
  );
});

it.each(['', '-1', '1x', 'x1', ' 1', '1.0', '12345678901234567'])('%j is no decimal', (text) => {
  expect(readDecimal(latin1Bytes(text), 0, text.length)).toBe(-1);
});

it('compares runs of bytes wherever they lie', () => {
  const left = latin1Bytes('xxabc');
  const right = latin1Bytes('abcd');
  expect(sameBytes(left, 2, right, 0, 3)).toBe(true);
  expect(sameBytes(left, 1, right, 0, 3)).toBe(false);
  expect(sameBytes(left, 2, right, 0, 0)).toBe(true);
});

it('hashes the run alone, and otherwise with another seed', () => {
  const run = latin1Bytes('id-1');
  const within = latin1Bytes('<id-1>');
  expect(hashBytes(within, 1, 5, 7)).toBe(hashBytes(run, 0, 4, 7));
  expect(hashBytes(run, 0, 4, 8)).not.toBe(hashBytes(run, 0, 4, 7));
  expect(hashBytes(run, 0, 3, 7)).not.toBe(hashBytes(run, 0, 4, 7));
});

it('spreads ids that differ in a counter over all bits', () => {
  const buckets = new Uint32Array(256);
  const highBuckets = new Uint32Array(256);
  for (let count = 0; count < 25_600; count += 1) {
    const id = latin1Bytes(`publisher-1-${count}`);
    const hash = hashBytes(id, 0, id.length, 1);
    buckets[hash & 255]! += 1;
    highBuckets[hash >>> 24]! += 1;
  }
  for (const bucket of [...buckets, ...highBuckets]) expect(Math.abs(bucket - 100)).toBeLessThan(60);
});
