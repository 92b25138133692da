import { describe, expect, it } from 'vitest';
import { Prng } from '../../../engine/base/prng.ts';
import { medianInterval } from '../../../results/stats/bootstrap.ts';

describe('medianInterval', () => {
  it('brackets the median, the same for the same seed', () => {
    const values = [101, 99, 104, 97, 103, 100, 98, 102, 105, 96];
    const interval = medianInterval(values, new Prng(1))!;
    expect(medianInterval(values, new Prng(1))).toEqual(interval);
    expect(interval.low).toBeLessThan(100.5);
    expect(interval.high).toBeGreaterThan(100.5);
    expect(interval.low).toBeGreaterThanOrEqual(96);
    expect(interval.high).toBeLessThanOrEqual(105);
  });

  it('has no width for equal values, and no answer for fewer than six', () => {
    expect(medianInterval([5, 5, 5, 5, 5, 5], new Prng(1))).toEqual({ low: 5, high: 5 });
    expect(medianInterval([1, 2, 3, 4, 5], new Prng(1))).toBeNull();
  });

  it('covers the true median about as often as it claims', () => {
    const prng = new Prng('coverage');
    const rounds = 300;
    let covered = 0;
    for (let round = 0; round < rounds; round += 1) {
      const values = Array.from({ length: 20 }, () => prng.unit());
      const interval = medianInterval(values, prng, 400)!;
      if (interval.low <= 0.5 && interval.high >= 0.5) covered += 1;
    }
    expect(covered / rounds).toBeGreaterThan(0.9);
  });
});
