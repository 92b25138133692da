import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatencyCounts } from '../../engine/base/latency-counts.ts';
import {
  decodeHistogram,
  encodeCounts,
  isLowerBound,
  mergeHistograms,
  quantile,
  quantiles,
  quantileSupport,
  spectrum,
} from '../../results/histogram.ts';
import type { Histogram } from '../../results/run.ts';

function histogramOf(values: readonly number[]): Histogram {
  const counts = new LatencyCounts();
  for (const value of values) counts.record(value);
  return encodeCounts(counts);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('histogram', () => {
  it('counts latencies, stores them, and answers quantiles in nanoseconds', () => {
    const stored = histogramOf(upTo(10_000));
    expect(stored).toMatchObject({
      unit: 'ns',
      count: 10_000,
      min: 1,
      max: 10_000,
      mean: 5000.5,
      overRange: 0,
    });
    expect(quantile(stored, 0.5)).toBeCloseTo(5000, -1);
    expect(quantile(stored, 0.999)).toBeCloseTo(9990, -1);
    expect(quantile(stored, 1)).toBe(10_000);
  });

  it('has no numbers when nothing was recorded: not 0, not 9007199254740991 (C120)', () => {
    const empty = histogramOf([]);
    expect(empty).toMatchObject({ count: 0, min: null, max: null, mean: null });
    expect(quantiles(empty, [0, 0.5, 0.99, 1])).toEqual([null, null, null, null]);
    expect(spectrum(empty)).toEqual([]);
    expect(mergeHistograms([])).toBeNull();
    expect(mergeHistograms([empty, empty])).toMatchObject({ count: 0, min: null, mean: null });
  });

  it('keeps every percentile within [min, max] (C124)', () => {
    const one = histogramOf(Array.from({ length: 1000 }, () => 682));
    expect(quantiles(one, [0.5, 0.99, 1])).toEqual([682, 682, 682]);
    const large = histogramOf(Array.from({ length: 1000 }, () => 1_368_930));
    expect(decodeHistogram(large).getValueAtPercentile(99)).toBe(1_369_087); // what the library alone would print
    expect(quantile(large, 0.99)).toBe(1_368_930);
  });

  it('counts samples above the range and marks what they touch as lower bounds (C126, C156)', () => {
    const half = histogramOf([
      ...Array.from({ length: 500 }, () => 1e6),
      ...Array.from({ length: 500 }, () => 200e9),
    ]);
    expect(half.overRange).toBe(500);
    expect(half.max).toBe(200e9);
    expect(isLowerBound(half, 0.5)).toBe(false);
    expect(isLowerBound(half, 0.99)).toBe(true);
  });

  it('keeps exact counts over five decades (C128)', () => {
    const wide = histogramOf([...upTo(1000), 1e7]);
    expect(wide).toMatchObject({ count: 1001, max: 1e7 });
    expect(Math.abs((quantile(wide, 0.5) ?? 0) - 500)).toBeLessThanOrEqual(1);
  });

  it('takes fractions and refuses percentages (C129)', () => {
    const values = histogramOf(Array.from({ length: 1100 }, (_, index) => 90 + (index % 11)));
    expect(quantile(values, 0.5)).toBe(95);
    expect(() => quantile(values, 50)).toThrow('a quantile is a fraction of 1, not 50');
  });

  it('says how much a sample carries (C130)', () => {
    expect(quantileSupport(200, 0.99)).toBe('thin'); // 2 beyond
    expect(quantileSupport(200, 0.999)).toBe('none');
    expect(quantileSupport(1000, 0.99)).toBe('carried');
    expect(quantileSupport(10_000, 0.999)).toBe('carried');
    expect(quantileSupport(9_999, 0.999)).toBe('thin');
    expect(quantile(histogramOf(upTo(200)), 0.99)).toBeNull();
  });

  it('refuses an encoded form that holds another number of samples', () => {
    expect(() => decodeHistogram({ ...histogramOf(upTo(5)), count: 6 })).toThrow('holds 5 samples');
  });

  it('merges by adding samples: the same as having counted everything at once', () => {
    const latency = fc.integer({ min: 0, max: 200e9 });
    const lists = fc.array(fc.array(latency, { maxLength: 30 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(lists, (parts) => {
        const merged = mergeHistograms(parts.map(histogramOf));
        const whole = histogramOf(parts.flat());
        expect(merged?.count).toBe(whole.count);
        expect(merged?.overRange).toBe(whole.overRange);
        expect([merged?.min, merged?.max]).toEqual([whole.min, whole.max]);
        if (whole.mean !== null) expect(merged?.mean).toBeCloseTo(whole.mean, 0);
        expect(spectrum(merged)).toEqual(spectrum(whole));
      }),
      { numRuns: 25 },
    );
  });

  it('agrees with the counts it was made of, quantile for quantile', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 10e9 }), { minLength: 100, maxLength: 300 }),
        (values) => {
          const counts = new LatencyCounts();
          for (const value of values) counts.record(value);
          for (const fraction of [0.1, 0.5, 0.75, 0.9]) {
            expect(quantile(encodeCounts(counts), fraction)).toBe(counts.valueAt(fraction));
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('draws the spectrum up to the maximum, never falling', () => {
    const points = spectrum(histogramOf(upTo(100_000)));
    const values = points.map((point) => point.valueNs);
    expect(values).toEqual(values.toSorted((left, right) => left - right));
    expect(points[points.length - 1]).toEqual({ fraction: 1 - 1 / 100_000, valueNs: 100_000 });
    expect(points.length).toBeLessThan(60);
  });
});
