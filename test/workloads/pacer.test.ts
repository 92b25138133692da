import { describe, expect, test } from 'vitest';
import { Prng } from '../../engine/base/prng.ts';
import { millisecond, second } from '../../engine/base/nanos.ts';
import { fixedPacer, poissonPacer, Schedule, shareOf } from '../../workloads/pacer.ts';
import type { Pacer } from '../../workloads/pacer.ts';
import type { Stage } from '../../workloads/workload.ts';

function allDue(pacer: Pacer): number[] {
  const due: number[] = [];
  for (let next = pacer(); next !== Infinity; next = pacer()) due.push(next);
  return due;
}

function dueOfAll(stages: readonly Stage[], publisherCount: number): number[] {
  const schedule = new Schedule(stages);
  return Array.from({ length: publisherCount }, (_, publisher) =>
    allDue(fixedPacer(schedule, { publisher, publisherCount })),
  )
    .flat()
    .sort((left, right) => left - right);
}

const at = (ratePerSecond: number, seconds: number): Stage => ({
  ratePerSecond,
  durationNs: seconds * second,
});

describe('pacer', () => {
  test('says when operations are due', () => {
    const schedule = new Schedule([at(1000, 0.005)]);
    expect(allDue(fixedPacer(schedule, { publisher: 0, publisherCount: 1 }))).toEqual([
      0, 1e6, 2e6, 3e6, 4e6,
    ]);
    expect(allDue(fixedPacer(schedule, { publisher: 1, publisherCount: 2 }))).toEqual([1e6, 3e6]);
  });

  const rows: readonly [string, readonly Stage[], number, number][] = [
    ['the first one at once', [at(10, 1)], 0, 0],
    ['the last one an interval before the end', [at(10, 1)], 9, 0.9 * second],
    ['none at the end: stages are half-open', [at(10, 1)], 10, Infinity],
    ['the next stage begins with its own rate', [at(10, 1), at(100, 1)], 11, 1.01 * second],
    ['a pause is skipped, not made up for', [at(10, 1), at(0, 5), at(10, 1)], 10, 6 * second],
    ['a part of an operation carries over', [at(1.5, 1), at(1, 1)], 2, 1.5 * second],
    ['a rate below one', [at(0.5, 4)], 1, 2 * second],
    ['an empty schedule', [], 0, Infinity],
    ['only pauses', [at(0, 10)], 0, Infinity],
    ['a third of a second is cut to whole nanoseconds', [at(3, 1)], 1, 333_333_333],
  ];
  test.each(rows)('%s', (_, stages, operation, dueNs) => {
    const schedule = new Schedule(stages);
    expect(schedule.dueNs(operation)).toBe(dueNs);
    schedule.dueNs(0); // asking in another order changes nothing
    expect(schedule.dueNs(operation)).toBe(dueNs);
  });

  test('splits totals with the remainder to the first publishers (case C110)', () => {
    const split = (total: number, publisherCount: number): number[] =>
      Array.from({ length: publisherCount }, (_, publisher) => shareOf(total, { publisher, publisherCount }));
    expect(split(10, 3)).toEqual([4, 3, 3]);
    expect(split(10_000, 7)).toEqual([1429, 1429, 1429, 1429, 1428, 1428, 1428]);
  });

  test('never exceeds the asked rate after a pause (case C134)', () => {
    const due = dueOfAll([at(50, 10), at(0, 10), at(50, 5)], 5);
    const bySecond = Array.from({ length: 25 }, () => 0);
    for (const dueNs of due) bySecond[Math.floor(dueNs / second)]! += 1;
    expect(bySecond).toEqual([...Array(10).fill(50), ...Array(10).fill(0), ...Array(5).fill(50)]);
  });

  test('spreads the first operations of publishers over their interval (case C135)', () => {
    const schedule = new Schedule([at(5000 / 15, 60)]);
    const starts = Array.from({ length: 5000 }, (_, publisher) =>
      Math.floor(fixedPacer(schedule, { publisher, publisherCount: 5000 })() / millisecond),
    );
    const inEach = new Map<number, number>();
    for (const start of starts) inEach.set(start, (inEach.get(start) ?? 0) + 1);
    expect(inEach.size).toBeGreaterThanOrEqual(4000);
    expect(Math.max(...inEach.values())).toBeLessThanOrEqual(5);
    expect(Math.max(...starts)).toBeLessThan(15_000);
  });

  test('Poisson arrivals keep the rate, spread like an exponential, and repeat with their seed', () => {
    const schedule = new Schedule([at(1000, 20), at(0, 10), at(1000, 20)]);
    const share = { publisher: 0, publisherCount: 2 };
    const due = allDue(poissonPacer(schedule, share, new Prng(7)));
    expect(Math.abs(due.length - 20_000)).toBeLessThan(5 * Math.sqrt(20_000));
    const gaps = due.slice(1).map((dueNs, index) => dueNs - due[index]!);
    const above = gaps.filter((gapNs) => gapNs > 2 * millisecond).length / gaps.length;
    expect(above).toBeCloseTo(Math.exp(-1), 1.5);
    expect(due.filter((dueNs) => dueNs >= 20 * second && dueNs < 30 * second)).toEqual([]);
    expect(allDue(poissonPacer(schedule, share, new Prng(7)))).toEqual(due);
    expect(allDue(poissonPacer(schedule, share, new Prng(8)))).not.toEqual(due);
  });
});
