import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatDistribution,
  formatDuration,
  formatFraction,
  formatRate,
  formatStages,
  parseBytes,
  parseCount,
  parseDistribution,
  parseDuration,
  parseFraction,
  parseRate,
  parseStages,
} from '../../runners/units.ts';
import { meanNs } from '../../workloads/distribution.ts';
import type { Distribution } from '../../workloads/workload.ts';

test('quantities are written with their unit', () => {
  expect(parseRate('10k/s', 'rate')).toBe(10_000);
  expect(parseDuration('1m30s', 'window')).toBe(90e9);
  expect(parseBytes('1KiB', 'payload')).toBe(1024);
  expect(parseCount('1M', 'messages')).toBe(1_000_000);
  expect(parseFraction('10%', 'lost')).toBe(0.1);
  expect(parseStages('1k/s@10s,5k/s@30s', 'stages')).toEqual([
    { ratePerSecond: 1000, durationNs: 10e9 },
    { ratePerSecond: 5000, durationNs: 30e9 },
  ]);
  expect(parseDistribution('uniform(1ms,5ms)', 'handling')).toEqual({
    kind: 'uniform',
    minNs: 1e6,
    maxNs: 5e6,
  });
});

test.each([
  [
    () => parseRate('10000', 'trials[0].rate'),
    'trials[0].rate: "10000" is a number without unit; a rate is written like 250/s or 10k/s',
  ],
  [
    () => parseDuration('20', 'window'),
    'window: "20" is a number without unit; a duration is written like 250ms, 1m30s or 2h',
  ],
  [
    () => parseDuration('0', 'window'),
    'window: "0" is a number without unit; a duration is written like 250ms, 1m30s or 2h',
  ],
  [
    () => parseBytes('128', 'payload'),
    'payload: "128" is a number without unit; a size is written like 128B, 1KiB or 64MB',
  ],
  [
    () => parseDistribution('20', 'handling'),
    'handling: "20" is a number without unit; a duration is written like 250ms, 1m30s or 2h',
  ],
])('a number without unit is refused with an example (%#)', (parse, sentence) => {
  expect(parse).toThrow(sentence);
});

test.each([
  [() => parseRate('fast', 'f'), 'f: "fast" is no rate'],
  [() => parseRate('-1/s', 'f'), 'is no rate'],
  [() => parseDuration('', 'f'), 'f: "" is no duration'],
  [() => parseDuration('1m30', 'f'), 'f: "1m30" is no duration'],
  [() => parseDuration('200d', 'f'), 'longer than 104 days'],
  [() => parseBytes('1.5B', 'f'), 'no whole number of bytes'],
  [() => parseBytes('1kb', 'f'), 'is no size'],
  [() => parseCount('1.5', 'f'), 'is no whole number'],
  [() => parseFraction('110%', 'f'), 'is above 1'],
  [() => parseFraction('-0.1', 'f'), 'is no fraction'],
  [() => parseStages('1k/s', 'f'), 'write it like 1k/s@10s,5k/s@30s'],
  [() => parseDistribution('normal(1ms,2ms)', 'f'), 'is no distribution'],
  [() => parseDistribution('uniform(5ms,1ms)', 'f'), 'wrong way round'],
  [() => parseDistribution('exponential(20ms,min=1s)', 'f'), 'the only one is max=…'],
  [() => parseDistribution('lognormal(20ms,x)', 'f'), 'sigma'],
  [() => parseDistribution('exponential(20ms,max=1ms)', 'f'), 'has a max below its middle'],
])('what cannot be read is refused with the rule (%#)', (parse, rule) => {
  expect(parse).toThrow(rule);
});

test.each([
  ['250/s', 250],
  ['0.5/s', 0.5],
  ['1.5k/s', 1500],
  ['2M/s', 2e6],
  ['0/s', 0],
])('rate %s', (text, value) => {
  expect(parseRate(text, 'rate')).toBe(value);
});

test.each([
  ['250ms', 250e6],
  ['1.5s', 1.5e9],
  ['2h', 7200e9],
  ['1d', 86_400e9],
  ['1h2m3s', 3723e9],
  ['10us', 10_000],
  ['10µs', 10_000],
  ['7ns', 7],
  ['0s', 0],
  ['1.000000001s', 1_000_000_001],
])('duration %s', (text, value) => {
  expect(parseDuration(text, 'duration')).toBe(value);
});

test('formats choose the shortest exact text', () => {
  expect([90e9, 120e9, 3600e9, 1.5e9, 250e6, 1500, 0, 61.5e9].map(formatDuration)).toEqual([
    '1m30s',
    '2m',
    '1h',
    '1.5s',
    '250ms',
    '1.5us',
    '0s',
    '1m1.5s',
  ]);
  expect([128, 1024, 1_000_000, 1536, 2 ** 30, 0].map(formatBytes)).toEqual([
    '128B',
    '1KiB',
    '1MB',
    '1536B',
    '1GiB',
    '0B',
  ]);
  expect([250, 10_000, 1_500_000, 0].map(formatRate)).toEqual(['250/s', '10k/s', '1500k/s', '0/s']);
});

test('the tail of a distribution is cut at its max, which has a default', () => {
  expect(parseDistribution('exponential(20ms)', 'f')).toEqual({
    kind: 'exponential',
    meanNs: 20e6,
    maxNs: 200e6,
  });
  expect(parseDistribution('exponential(20ms, max=1s)', 'f')).toEqual({
    kind: 'exponential',
    meanNs: 20e6,
    maxNs: 1e9,
  });
  const lognormal = parseDistribution('lognormal(20ms,0.5)', 'f');
  expect(lognormal).toEqual({
    kind: 'lognormal',
    medianNs: 20e6,
    sigma: 0.5,
    maxNs: Math.round(20e6 * Math.E ** 2),
  });
  expect(meanNs(lognormal)).toBeCloseTo(20e6 * Math.exp(0.125), 3);
});

describe('what is formatted reads back the same', () => {
  const durationNs = fc.oneof(
    fc.integer({ min: 0, max: 9e15 }),
    fc.integer({ min: 0, max: 9_000_000 }).map((ms) => ms * 1e6),
  );
  const distribution: fc.Arbitrary<Distribution> = fc.oneof(
    durationNs.map((valueNs) => ({ kind: 'fixed' as const, valueNs })),
    fc.tuple(durationNs, durationNs).map(([left, right]) => ({
      kind: 'uniform' as const,
      minNs: Math.min(left, right),
      maxNs: Math.max(left, right),
    })),
    fc.tuple(fc.integer({ min: 1, max: 1e12 }), fc.integer({ min: 1, max: 100 })).map(([meanNs, factor]) => ({
      kind: 'exponential' as const,
      meanNs,
      maxNs: meanNs * factor,
    })),
    fc
      .tuple(fc.integer({ min: 1, max: 1e12 }), fc.integer({ min: 0, max: 500 }))
      .map(([medianNs, sigma]) => ({
        kind: 'lognormal' as const,
        medianNs,
        sigma: sigma / 100,
        maxNs: medianNs * 3,
      })),
  );
  const rate = fc.oneof(
    fc.integer({ min: 0, max: 1e9 }),
    fc.integer({ min: 1, max: 1e6 }).map((milli) => milli / 1000),
  );

  test('durations', () => {
    fc.assert(fc.property(durationNs, (ns) => parseDuration(formatDuration(ns), 'f') === ns));
  });

  test('rates, counts, bytes, fractions', () => {
    fc.assert(fc.property(rate, (value) => parseRate(formatRate(value), 'f') === value));
    fc.assert(fc.property(fc.maxSafeNat(), (value) => parseCount(formatCount(value), 'f') === value));
    fc.assert(fc.property(fc.maxSafeNat(), (value) => parseBytes(formatBytes(value), 'f') === value));
    const fraction = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(fc.property(fraction, (value) => parseFraction(formatFraction(value), 'f') === value + 0));
  });

  test('stages and distributions', () => {
    const stages = fc.array(fc.record({ ratePerSecond: rate, durationNs }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(stages, (value) => {
        expect(parseStages(formatStages(value), 'f')).toEqual(value);
      }),
    );
    fc.assert(
      fc.property(distribution, (value) => {
        expect(parseDistribution(formatDistribution(value), 'f')).toEqual(value);
      }),
    );
  });
});
