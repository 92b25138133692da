import { medianSorted, quantileSorted } from 'simple-statistics';
import type { Prng } from '../../engine/base/prng.ts';
import type { Interval } from './binomial.ts';

/**
 * Percentile bootstrap interval of the median, 95 %. The same generator gives the same interval.
 * null below six values: fewer repeats cannot carry a 95 % interval of a median.
 */
export function medianInterval(values: readonly number[], prng: Prng, resampleCount = 2000): Interval | null {
  if (values.length < 6) return null;
  const medians = new Float64Array(resampleCount);
  const resample = new Float64Array(values.length);
  for (let round = 0; round < resampleCount; round += 1) {
    for (let index = 0; index < resample.length; index += 1) {
      resample[index] = values[prng.int(0, values.length - 1)] as number;
    }
    medians[round] = medianSorted([...resample.sort()]);
  }
  const sorted = [...medians.sort()];
  return { low: quantileSorted(sorted, 0.025), high: quantileSorted(sorted, 0.975) };
}
