import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Prng } from '../../engine/base/prng.ts';
import { isZero, longestNs, meanNs, sample } from '../../workloads/distribution.ts';
import type { Distribution } from '../../workloads/workload.ts';

function draws(distribution: Distribution, count = 20_000): number[] {
  const prng = new Prng('distribution');
  return Array.from({ length: count }, () => sample(distribution, prng)).sort((left, right) => left - right);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('distribution', () => {
  test('draws durations', () => {
    expect(draws({ kind: 'fixed', valueNs: 5 }, 3)).toEqual([5, 5, 5]);
    const uniform = draws({ kind: 'uniform', minNs: 1e6, maxNs: 5e6 });
    expect(uniform[0]).toBeGreaterThanOrEqual(1e6);
    expect(uniform.at(-1)).toBeLessThan(5e6);
    expect(mean(uniform) / 3e6).toBeCloseTo(1, 1);
  });

  test('an exponential has its mean and median', () => {
    const drawn = draws({ kind: 'exponential', meanNs: 20e6, maxNs: 1e12 });
    expect(mean(drawn) / 20e6).toBeCloseTo(1, 1);
    expect(drawn[10_000]! / (20e6 * Math.LN2)).toBeCloseTo(1, 1);
  });

  test('a lognormal has its median and spread', () => {
    const distribution: Distribution = { kind: 'lognormal', medianNs: 20e6, sigma: 0.5, maxNs: 1e12 };
    const drawn = draws(distribution);
    expect(drawn[10_000]! / 20e6).toBeCloseTo(1, 1);
    expect(drawn[Math.round(20_000 * 0.8413)]! / (20e6 * Math.exp(0.5))).toBeCloseTo(1, 1);
    expect(mean(drawn) / meanNs(distribution)).toBeCloseTo(1, 1);
  });

  test('no draw is negative, fractional or above the maximum', () => {
    const distributions = fc.oneof(
      fc.record({
        kind: fc.constant('uniform' as const),
        minNs: fc.nat(1000),
        maxNs: fc.integer({ min: 1000, max: 5000 }),
      }),
      fc.record({ kind: fc.constant('exponential' as const), meanNs: fc.nat(1e6), maxNs: fc.nat(1e6) }),
      fc.record({
        kind: fc.constant('lognormal' as const),
        medianNs: fc.nat(1e6),
        sigma: fc.double({ min: 0, max: 3, noNaN: true }),
        maxNs: fc.nat(1e6),
      }),
    );
    fc.assert(
      fc.property(distributions, fc.nat(), (distribution, seed) => {
        const drawn = sample(distribution, new Prng(seed));
        expect(Number.isSafeInteger(drawn)).toBe(true);
        expect(drawn).toBeGreaterThanOrEqual(0);
        expect(drawn).toBeLessThanOrEqual(longestNs(distribution));
      }),
    );
  });

  test('zero is zero whatever its kind', () => {
    expect(isZero({ kind: 'fixed', valueNs: 0 })).toBe(true);
    expect(isZero({ kind: 'exponential', meanNs: 1, maxNs: 0 })).toBe(true);
    expect(isZero({ kind: 'uniform', minNs: 0, maxNs: 1 })).toBe(false);
  });
});
