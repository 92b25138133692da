import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import {
  epochFromUnixMilliseconds,
  nanosFromRfc3339,
  rfc3339,
  unixTime,
} from '../../../engine/base/nanos.ts';

const epoch = { unixSeconds: 1_700_000_000, nanos: 999_999_999 };

it('counts from the epoch, to the nanosecond', () => {
  expect(unixTime(epoch, 1)).toEqual({ unixSeconds: 1_700_000_001, nanos: 0 });
  expect(rfc3339(epoch, 1)).toBe('2023-11-14T22:13:21Z');
  expect(rfc3339(epoch, 120_000_001)).toBe('2023-11-14T22:13:21.12Z');
  expect(nanosFromRfc3339(epoch, '2023-11-14T22:13:21.12Z')).toBe(120_000_001);
  expect(nanosFromRfc3339(epoch, '2023-11-14T23:13:21+01:00')).toBe(1);
});

it('splits milliseconds since 1970', () => {
  expect(epochFromUnixMilliseconds(1_700_000_000_123)).toEqual({
    unixSeconds: 1_700_000_000,
    nanos: 123_000_000,
  });
});

it.each([
  '',
  'x',
  '2023-11-14',
  '2023-11-14T22:13:21',
  '2023-11-14 22:13:21Z',
  '2023-11-14T22:13:21.Z',
  '2023-11-14T22:13:21.1234567890Z',
])('%j is no instant', (text) => {
  expect(nanosFromRfc3339(epoch, text)).toBeNaN();
});

it('reads back what it writes, over a hundred days', () => {
  const nanos = fc.integer({ min: 0, max: 100 * 86_400 * 1e9 });
  fc.assert(
    fc.property(
      nanos,
      fc.integer({ min: 1, max: 4e9 }),
      fc.integer({ min: 0, max: 999_999_999 }),
      (at, unixSeconds, part) => {
        const origin = { unixSeconds, nanos: part };
        expect(nanosFromRfc3339(origin, rfc3339(origin, at))).toBe(at);
        const time = unixTime(origin, at);
        expect(BigInt(time.unixSeconds) * 1_000_000_000n + BigInt(time.nanos)).toBe(
          BigInt(unixSeconds) * 1_000_000_000n + BigInt(part) + BigInt(at),
        );
      },
    ),
  );
});
