import * as fc from 'fast-check';
import * as hdr from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import {
  LatencyCounts,
  latencyHighestNs,
  latencyIndex,
  latencyLayout,
  latencyLowestNs,
} from '../../../engine/base/latency-counts.ts';

function hdrHistogram() {
  return hdr.build({
    lowestDiscernibleValue: latencyLayout.lowestDiscernibleNs,
    highestTrackableValue: latencyLayout.highestTrackableNs,
    numberOfSignificantValueDigits: latencyLayout.significantDigits,
    bitBucketSize: 64,
  });
}

/** Values of all magnitudes, edges of buckets included. */
const durations = fc.oneof(
  fc.integer({ min: 0, max: 5_000 }),
  fc.integer({ min: 0, max: latencyLayout.highestTrackableNs }),
  fc
    .tuple(fc.integer({ min: 0, max: 36 }), fc.integer({ min: -2, max: 2 }))
    .map(([power, off]) => Math.min(Math.max(2 ** power + off, 0), latencyLayout.highestTrackableNs)),
);

describe('latency counts', () => {
  test('count durations and answer quantiles by fraction', () => {
    const counts = new LatencyCounts();
    for (let value = 1; value <= 1000; value += 1) counts.record(value);
    counts.record(1e7); // case C128: a far value shifts nothing

    expect(counts.total).toBe(1001);
    expect(counts.valueAt(0.5)).toBe(501);
    expect(counts.valueAt(0)).toBe(1);
    expect(counts.valueAt(1)).toBe(1e7);
    expect(counts.minNs).toBe(1);
    expect(counts.maxNs).toBe(1e7);
    expect(counts.sumNs).toBe(500_500 + 1e7);
  });

  test('have the layout of hdr-histogram-js: same length, same index, same bounds', () => {
    const library = hdrHistogram() as unknown as {
      countsArrayLength: number;
      countsArrayIndex(value: number): number;
    };
    expect(latencyLayout.countsLength).toBe(library.countsArrayLength);
    fc.assert(
      fc.property(durations, (value) => {
        const index = latencyIndex(value);
        expect(index).toBe(library.countsArrayIndex(value));
        expect(latencyLowestNs(index)).toBeLessThanOrEqual(value);
        expect(latencyHighestNs(index)).toBeGreaterThanOrEqual(value);
      }),
      { numRuns: 5_000 },
    );
  });

  test('cover the range without a gap', () => {
    for (let index = 1; index < latencyLayout.countsLength; index += 1) {
      const isAdjacent = latencyLowestNs(index) === latencyHighestNs(index - 1) + 1;
      if (!isAdjacent) expect.fail(`gap before index ${index}`);
    }
    expect(latencyHighestNs(latencyLayout.countsLength - 1)).toBeGreaterThanOrEqual(
      latencyLayout.highestTrackableNs,
    );
  });

  test('answer as hdr-histogram-js does, clamped to what was recorded', () => {
    fc.assert(
      fc.property(fc.array(durations, { minLength: 1, maxLength: 60 }), (values) => {
        const counts = new LatencyCounts();
        const library = hdrHistogram();
        for (const value of values) {
          counts.record(value);
          library.recordValue(value);
        }
        const least = Math.min(...values);
        const most = Math.max(...values);
        for (const percentile of [0, 1, 25, 50, 75, 90, 99, 99.9, 100]) {
          const theirs = library.getValueAtPercentile(percentile);
          expect(counts.valueAt(percentile / 100)).toBe(
            percentile === 0 ? least : Math.min(Math.max(theirs, least), most),
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  test('keep every quantile inside what was recorded (case C124)', () => {
    const counts = new LatencyCounts();
    counts.record(1_368_930);
    expect(counts.valueAt(0.99)).toBe(1_368_930); // the bucket reaches to 1 369 087
    expect(counts.valueAt(0)).toBe(1_368_930);
  });

  test('count what is over the range at its top, and keep the true maximum (case C126)', () => {
    const counts = new LatencyCounts();
    counts.record(5);
    counts.record(latencyLayout.highestTrackableNs + 1);
    counts.record(500e9);

    expect(counts.overRangeCount).toBe(2);
    expect(counts.total).toBe(3);
    expect(counts.counts[latencyIndex(latencyLayout.highestTrackableNs)]).toBe(2);
    expect(counts.maxNs).toBe(500e9);
    expect(counts.valueAt(1)).toBe(500e9);
    expect(counts.valueAt(0.3)).toBe(5);
  });

  test('have no minimum, mean or quantile when empty (case C120)', () => {
    const counts = new LatencyCounts();
    expect([counts.minNs, counts.maxNs, counts.meanNs, counts.valueAt(0.99)]).toEqual([NaN, NaN, NaN, NaN]);
    expect(counts.counts.length).toBe(0);
  });

  test('refuse negative durations, NaN and percentages', () => {
    const counts = new LatencyCounts();
    expect(() => counts.record(-1)).toThrow('a duration is 0 or more, not -1');
    expect(() => counts.record(Number.NaN)).toThrow('not NaN');
    expect(() => counts.valueAt(50)).toThrow('a fraction of 0 to 1, not 50'); // case C129
    expect(counts.total).toBe(0);
  });

  test('merge exactly, and cross threads as plain data', () => {
    fc.assert(
      fc.property(
        fc.array(durations, { maxLength: 30 }),
        fc.array(durations, { maxLength: 30 }),
        (left, right) => {
          const whole = new LatencyCounts();
          const [first, other] = [new LatencyCounts(), new LatencyCounts()];
          for (const value of [...left, ...right]) whole.record(value);
          for (const value of left) first.record(value);
          for (const value of right) other.record(value);
          first.add(LatencyCounts.from(structuredClone(other.toRecord())));
          const { counts, ...sums } = first.toRecord();
          const { counts: wanted, ...wantedSums } = whole.toRecord();
          expect(sums).toEqual(wantedSums);
          expect(Buffer.from(counts.buffer).equals(Buffer.from(wanted.buffer))).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });
});
