import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binomialInterval } from '../../../results/stats/binomial.ts';

describe('binomialInterval', () => {
  // R: binom::binom.confint(x, n, methods = 'wilson'), or prop.test(x, n, correct = FALSE)$conf.int
  it.each([
    [10, 100, 0.0552291, 0.1743657],
    [1, 10, 0.0178762, 0.40415],
    [50, 100, 0.4038315, 0.5961685],
    [5, 5, 0.5655175, 1],
    [0, 10, 0, 0.2775328],
  ])('%i of %i lies in %f … %f', (successes, trials, low, high) => {
    const interval = binomialInterval(successes, trials);
    expect(interval?.low).toBeCloseTo(low, 5);
    expect(interval?.high).toBeCloseTo(high, 5);
  });

  it('says nothing without trials', () => {
    expect(binomialInterval(0, 0)).toBeNull();
  });

  it('holds the share, stays in 0 … 1, and narrows with more trials', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (trials, part) => {
          const successes = Math.floor(part * trials);
          const { low, high } = binomialInterval(successes, trials)!;
          const wider = binomialInterval(successes * 4, trials * 4)!;
          expect(low).toBeGreaterThanOrEqual(0);
          expect(high).toBeLessThanOrEqual(1);
          expect(low).toBeLessThanOrEqual(successes / trials + 1e-12);
          expect(high).toBeGreaterThanOrEqual(successes / trials - 1e-12);
          expect(wider.high - wider.low).toBeLessThan(high - low + 1e-12);
        },
      ),
      { numRuns: 200 },
    );
  });
});
