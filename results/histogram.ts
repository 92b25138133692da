// Between the counts of the hot path, the encoded histogram of a record, and what is read off it. Nanoseconds throughout.
// Histograms are added, never averaged; an empty one has no quantiles (case C120).

import {
  build,
  type BuildRequest,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram as HdrHistogram,
  JsHistogram,
} from 'hdr-histogram-js';
import { assert } from '../engine/base/assert.ts';
import { latencyLayout, type LatencyRecord } from '../engine/base/latency-counts.ts';
import type { Histogram } from './run.ts';

/** The histogram of a record. A LatencyCounts will do, too. */
export function encodeCounts(counted: LatencyRecord): Histogram {
  const histogram = emptyHistogram();
  assert(
    counted.total === 0 || counted.counts.length === histogram.countsArrayLength,
    'counts have the layout of hdr-histogram-js',
  );
  for (let index = 0; index < counted.counts.length; index += 1) {
    const count = counted.counts[index] as number;
    if (count > 0) histogram.recordValueWithCount(histogram.valueFromIndex(index), count);
  }
  assert(histogram.totalCount === counted.total, 'the total is the sum of the counts');
  const isEmpty = counted.total === 0;
  return {
    unit: 'ns',
    count: counted.total,
    min: isEmpty ? null : counted.minNs,
    max: isEmpty ? null : counted.maxNs,
    mean: isEmpty ? null : counted.sumNs / counted.total,
    overRange: counted.overRangeCount,
    encoded: encodeIntoCompressedBase64(histogram),
  };
}

/** The histogram as hdr-histogram-js knows it. Throws an Error when `encoded` is not one of ours. */
export function decodeHistogram(record: Histogram): JsHistogram {
  const histogram = asJsHistogram(decodeFromCompressedBase64(record.encoded, 64));
  if (histogram.totalCount !== record.count) {
    throw new Error(
      `histogram: count is ${record.count}, and its encoded form holds ${histogram.totalCount} samples`,
    );
  }
  return histogram;
}

/** Standard deviation of the samples around their exact mean; forty times faster than the library's own. */
export function standardDeviationOf(histogram: JsHistogram, mean: number): number {
  let squares = 0;
  for (let index = 0; index < histogram.countsArrayLength; index += 1) {
    const count = histogram.getCountAtIndex(index);
    if (count > 0) {
      squares += count * (histogram.medianEquivalentValue(histogram.valueFromIndex(index)) - mean) ** 2;
    }
  }
  return Math.sqrt(squares / histogram.totalCount);
}

/**
 * The same samples at fewer significant digits, for places where bytes matter more than the last per cent;
 * count, min, max and mean stay exact.
 */
export function coarsenHistogram(record: Histogram, significantDigits: 1 | 2): Histogram {
  if (record.count === 0) return record;
  const coarse = asJsHistogram(
    build({ ...histogramRequest, numberOfSignificantValueDigits: significantDigits }),
  );
  coarse.add(decodeHistogram(record));
  return { ...record, encoded: encodeIntoCompressedBase64(coarse) };
}

/** All samples in one histogram; null for an empty list. */
export function mergeHistograms(list: readonly Histogram[]): Histogram | null {
  const [first] = list;
  if (first === undefined || list.length === 1) return first ?? null;
  const sum = emptyHistogram();
  for (const record of list) sum.add(decodeHistogram(record));
  const filled = list.filter((record) => record.count > 0);
  const count = sum.totalCount;
  return {
    unit: 'ns',
    count,
    min: count === 0 ? null : Math.min(...filled.map((record) => record.min ?? Infinity)),
    max: count === 0 ? null : Math.max(...filled.map((record) => record.max ?? 0)),
    mean:
      count === 0
        ? null
        : filled.reduce((total, record) => total + (record.mean ?? 0) * record.count, 0) / count,
    overRange: list.reduce((total, record) => total + record.overRange, 0),
    encoded: encodeIntoCompressedBase64(sum),
  };
}

/**
 * How much a sample says about a quantile, by the samples beyond it (case C130): 'carried' from ten on, 'thin' from one
 * on (show it with its count only), 'none' below.
 */
export type QuantileSupport = 'carried' | 'thin' | 'none';

export function quantileSupport(sampleCount: number, fraction: number): QuantileSupport {
  assert(fraction >= 0 && fraction <= 1, `a quantile is a fraction of 1, not ${fraction}`); // case C129
  const beyondCount = sampleCount * (1 - fraction) + 1e-6;
  if (sampleCount > 0 && fraction === 1) return 'carried';
  if (beyondCount >= 10) return 'carried';
  return beyondCount >= 1 ? 'thin' : 'none';
}

/** A quantile in nanoseconds, inside min … max (case C124); null unless n >= 10 / (1 - fraction). */
export function quantile(record: Histogram | null, fraction: number): number | null {
  if (record === null || quantileSupport(record.count, fraction) !== 'carried') return null;
  return quantilesOf(record, [fraction])[0] ?? null;
}

/** Several quantiles for the price of one decoding; null where the sample cannot carry one. */
export function quantiles(record: Histogram | null, fractions: readonly number[]): (number | null)[] {
  const carried = fractions.filter(
    (fraction) => record !== null && quantileSupport(record.count, fraction) === 'carried',
  );
  const values = record === null || carried.length === 0 ? [] : quantilesOf(record, carried);
  return fractions.map((fraction) => values[carried.indexOf(fraction)] ?? null);
}

/** Whether the quantile lies among the samples above the range, so that its value is only a lower bound (case C156). */
export function isLowerBound(record: Histogram, fraction: number): boolean {
  return record.overRange > 0 && fraction * record.count > record.count - record.overRange;
}

export interface SpectrumPoint {
  readonly fraction: number;
  readonly valueNs: number;
}

/** The percentile spectrum: ten points a nine, up to the last sample. The last point is the maximum. */
export function spectrum(record: Histogram | null): SpectrumPoint[] {
  if (record === null || record.count === 0) return [];
  const fractions: number[] = [];
  for (let tenth = 0; 10 ** (-tenth / 10) * record.count > 1.000001; tenth += 1) {
    fractions.push(1 - 10 ** (-tenth / 10));
  }
  fractions.push(1 - 1 / record.count);
  const values = quantilesOf(record, fractions);
  const points = fractions.map((fraction, index) => ({ fraction, valueNs: values[index] as number }));
  return [...points.slice(0, -1), { fraction: 1 - 1 / record.count, valueNs: record.max ?? 0 }];
}

function quantilesOf(record: Histogram, fractions: readonly number[]): number[] {
  const histogram = decodeHistogram(record);
  const min = record.min ?? 0;
  const max = record.max ?? 0;
  return fractions.map((fraction) => {
    const value = fraction === 1 ? max : histogram.getValueAtPercentile(fraction * 100);
    return Math.min(Math.max(value, min), max);
  });
}

const histogramRequest: BuildRequest = {
  lowestDiscernibleValue: latencyLayout.lowestDiscernibleNs,
  highestTrackableValue: latencyLayout.highestTrackableNs,
  numberOfSignificantValueDigits: latencyLayout.significantDigits,
  bitBucketSize: 64,
  autoResize: true,
};

function emptyHistogram(): JsHistogram {
  return asJsHistogram(build(histogramRequest));
}

function asJsHistogram(histogram: HdrHistogram): JsHistogram {
  assert(histogram instanceof JsHistogram, 'hdr-histogram-js builds a JsHistogram without WebAssembly');
  return histogram;
}
