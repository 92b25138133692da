import { unreachable } from '../engine/base/assert.ts';
import type { Nanos } from '../engine/base/nanos.ts';
import type { Prng } from '../engine/base/prng.ts';
import type { Distribution } from './workload.ts';

/** A duration drawn from the distribution, in whole nanoseconds; a tail ends at `maxNs`. */
export function sample(distribution: Distribution, prng: Prng): Nanos {
  if (distribution.kind === 'fixed') return distribution.valueNs;
  return durationAt(distribution, prng.unit(), prng.unit());
}

/** The duration that two uniform numbers in [0, 1) stand for, so that a draw can also be made from a hash. */
export function durationAt(distribution: Distribution, first: number, second: number): Nanos {
  switch (distribution.kind) {
    case 'fixed':
      return distribution.valueNs;
    case 'uniform':
      return Math.floor(distribution.minNs + first * (distribution.maxNs - distribution.minNs));
    case 'exponential':
      return Math.floor(Math.min(distribution.maxNs, -Math.log(1 - first) * distribution.meanNs));
    case 'lognormal':
      return Math.floor(
        Math.min(
          distribution.maxNs,
          distribution.medianNs * Math.exp(distribution.sigma * normal(first, second)),
        ),
      );
    default:
      return unreachable(distribution);
  }
}

/** Whether every draw is zero: drivers have a path without timers for it. */
export function isZero(distribution: Distribution): boolean {
  return distribution.kind === 'fixed' ? distribution.valueNs === 0 : distribution.maxNs === 0;
}

/** The longest duration that can be drawn. */
export function longestNs(distribution: Distribution): Nanos {
  return distribution.kind === 'fixed' ? distribution.valueNs : distribution.maxNs;
}

/** The duration expected on average, its cut tail neglected. */
export function meanNs(distribution: Distribution): Nanos {
  switch (distribution.kind) {
    case 'fixed':
      return distribution.valueNs;
    case 'uniform':
      return (distribution.minNs + distribution.maxNs) / 2;
    case 'exponential':
      return distribution.meanNs;
    case 'lognormal':
      return distribution.medianNs * Math.exp(distribution.sigma ** 2 / 2);
    default:
      return unreachable(distribution);
  }
}

// Box and Muller's transform; 1 - first keeps the logarithm finite.
function normal(first: number, second: number): number {
  return Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
}
