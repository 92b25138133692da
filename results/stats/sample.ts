// Small samples: a handful of repeats of one cell.

import { medianSorted, quantileSorted } from 'simple-statistics';

/** A few repeated measurements, as a reader should see them: the middle, the ends, and how many there were. */
export interface Spread {
  readonly count: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** null for an empty sample. */
export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = values.toSorted((left, right) => left - right);
  const [min] = sorted;
  if (min === undefined) return null;
  return {
    count: sorted.length,
    median: medianSorted(sorted),
    min,
    max: sorted[sorted.length - 1] as number,
  };
}

/** The middle value, or the mean of the two middle ones; null for an empty sample. */
export function median(values: readonly number[]): number | null {
  return spreadOf(values)?.median ?? null;
}

/** Quantile of raw values (not of a histogram), `fraction` in 0 … 1; null for an empty sample. */
export function sampleQuantile(values: readonly number[], fraction: number): number | null {
  if (values.length === 0) return null;
  return quantileSorted(
    values.toSorted((left, right) => left - right),
    fraction,
  );
}
