import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatGoDuration, parseGoDuration } from '../../../engine/wire/go-duration.ts';

test.each([
  ['1m30s', 90e9],
  ['500ms', 5e8],
  ['2h0m0s', 7200e9],
  ['1.5s', 1.5e9],
  ['1µs', 1000],
  ['1.5µs', 1500],
  ['250ns', 250],
  ['0s', 0],
  ['-1m0s', -60e9],
  ['100h0m1.000000001s', 360_001_000_000_001],
])('%s is %d ns, both ways', (text, durationNs) => {
  expect(parseGoDuration(text)).toBe(durationNs);
  expect(formatGoDuration(durationNs)).toBe(text);
});

test.each([
  ['0', 0],
  ['-0', 0],
  ['+5s', 5e9],
  ['.5s', 5e8],
  ['5.s', 5e9],
  ['1us', 1000],
  ['1μs', 1000],
  ['90s', 90e9],
  ['1s1s', 2e9],
  ['0.3ns', 0],
])('%s is read as %d ns', (text, durationNs) => {
  expect(parseGoDuration(text)).toBe(durationNs);
});

test.each(['', '5', 's', '.s', '1 s', '5S', '1d', '1s ', '--1s', '1e3s', 'soon'])('%j is none', (text) => {
  expect(parseGoDuration(text)).toBeNaN();
});

test('any duration survives being printed', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e15, max: 1e15 }), (durationNs) => {
      expect(parseGoDuration(formatGoDuration(durationNs))).toBe(durationNs);
    }),
  );
});
