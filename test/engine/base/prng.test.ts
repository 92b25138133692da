import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { Prng } from '../../../engine/base/prng.ts';

const draws = (prng: Prng): number[] => Array.from({ length: 8 }, () => prng.uint32());

it('replays from its seed', () => {
  expect(draws(new Prng('a'))).toEqual(draws(new Prng('a')));
  expect(draws(new Prng('a'))).not.toEqual(draws(new Prng('b')));
  expect(draws(new Prng(7))).toEqual(draws(new Prng('7')));
});

it('forks by label alone, however much was drawn before', () => {
  const used = new Prng('a');
  draws(used);
  expect(draws(used.fork('x'))).toEqual(draws(new Prng('a').fork('x')));
  expect(draws(used.fork('x'))).not.toEqual(draws(used.fork('y')));
});

it('draws every integer of a range, and none outside', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -1000, max: 1000 }), fc.nat(7), (seed, min, span) => {
      const prng = new Prng(seed);
      const seen = new Set(Array.from({ length: 200 }, () => prng.int(min, min + span)));
      expect([...seen].sort((left, right) => left - right)).toEqual(
        Array.from({ length: span + 1 }, (_, index) => min + index),
      );
    }),
    { numRuns: 30 },
  );
});

it('draws from ranges beyond 32 bits', () => {
  const prng = new Prng('wide');
  const values = Array.from({ length: 100 }, () => prng.int(0, 2 ** 40));
  expect(values.every((value) => Number.isSafeInteger(value) && value <= 2 ** 40)).toBe(true);
  expect(Math.max(...values)).toBeGreaterThan(2 ** 36);
});

it('refuses ranges that are none', () => {
  const prng = new Prng(1);
  expect(() => prng.int(2, 1)).toThrow('int needs min <= max');
  expect(() => prng.int(0.5, 1)).toThrow('int bounds are integers');
  expect(() => prng.pick([])).toThrow('pick from an empty list');
});

it('is fair enough: means of units and chances over 20000 draws', () => {
  const prng = new Prng('fair');
  let sum = 0;
  let hits = 0;
  for (let count = 0; count < 20_000; count += 1) {
    const unit = prng.unit();
    expect(unit >= 0 && unit < 1).toBe(true);
    sum += unit;
    if (prng.chance(0.25)) hits += 1;
  }
  expect(sum / 20_000).toBeCloseTo(0.5, 1);
  expect(hits / 20_000).toBeCloseTo(0.25, 1);
  expect([prng.chance(0), prng.chance(-1), prng.chance(1), prng.chance(2)]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

it('shuffles without losing anything, and leaves the original alone', () => {
  const items = [1, 2, 3, 4, 5, 6, 7, 8];
  const shuffled = new Prng('deck').shuffle(items);
  expect(shuffled.toSorted((left, right) => left - right)).toEqual(items);
  expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(shuffled).not.toEqual(items);
});
