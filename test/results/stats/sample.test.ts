import { describe, expect, it } from 'vitest';
import { median, sampleQuantile, spreadOf } from '../../../results/stats/sample.ts';

describe('sample', () => {
  it('gives the middle and the ends of repeats in any order', () => {
    expect(spreadOf([110, 98, 250, 105, 100])).toEqual({ count: 5, median: 105, min: 98, max: 250 }); // C140
    expect(spreadOf([4, 1, 3, 2])?.median).toBe(2.5);
    expect(spreadOf([7])).toEqual({ count: 1, median: 7, min: 7, max: 7 });
  });

  it('has nothing to say about nothing', () => {
    expect(spreadOf([])).toBeNull();
    expect(median([])).toBeNull();
    expect(sampleQuantile([], 0.5)).toBeNull();
  });

  it('leaves its input in its order', () => {
    const values = [3, 1, 2];
    expect(median(values)).toBe(2);
    expect(sampleQuantile(values, 1)).toBe(3);
    expect(values).toEqual([3, 1, 2]);
  });
});
