import { assert } from '../../engine/base/assert.ts';

/** Bounds of an estimate, both included. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

const standardNormal95 = 1.959963984540054;

/**
 * Wilson score interval of a share, 95 %: sound for few trials and for shares of 0 and 1, where the textbook interval
 * has no width. null without trials.
 */
export function binomialInterval(successCount: number, trialCount: number): Interval | null {
  assert(successCount >= 0 && successCount <= trialCount, 'successes are part of the trials');
  if (trialCount === 0) return null;
  const share = successCount / trialCount;
  const squared = standardNormal95 ** 2;
  const centre = share + squared / (2 * trialCount);
  const reach =
    standardNormal95 * Math.sqrt((share * (1 - share)) / trialCount + squared / (4 * trialCount ** 2));
  const scale = 1 + squared / trialCount;
  return {
    low: successCount === 0 ? 0 : (centre - reach) / scale,
    high: successCount === trialCount ? 1 : (centre + reach) / scale,
  };
}
