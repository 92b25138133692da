import { describe, expect, test } from 'vitest';
import type { Run } from '../../results/run.ts';
import { sideBySide } from '../../results/side-by-side.ts';
import { buildRun } from '../support/runs.ts';

/** A trial of a target that reached that rate. */
function trial(spec: string, repeat: number, perSecond: number, changes: Partial<Run> = {}): Run {
  const run = buildRun({ rate: 10_000 });
  return {
    ...run,
    repeat,
    target: { ...run.target, spec },
    rates: { ...run.rates, achievedPerSecond: perSecond, deliveredPerSecond: null },
    ...changes,
  };
}

test('pairs the trials of two targets by repeat and takes the ratio of each pair', () => {
  const runs = [
    trial('engine', 0, 600),
    trial('server', 0, 300),
    trial('server', 1, 200),
    trial('engine', 1, 500),
  ];
  const [work] = sideBySide(runs, 'engine', 'server');
  expect(work?.ratios).toEqual([2, 2.5]);
  expect(work?.left).toMatchObject({ target: 'engine', perSecond: [600, 500], lost: 0, leakedInWindow: 0 });
  expect(work?.right.perSecond).toEqual([300, 200]);
});

describe('a pair with one side missing has no ratio', () => {
  test('because the other trial is invalid or partial', () => {
    const runs = [
      trial('engine', 0, 600),
      trial('server', 0, 300, { verdict: 'invalid' }),
      trial('engine', 1, 600),
      trial('server', 1, 300, { partial: true }),
      trial('engine', 2, 600),
      trial('server', 2, 400),
    ];
    const [work] = sideBySide(runs, 'engine', 'server');
    expect(work?.ratios).toEqual([1.5]);
    expect(work?.right.perSecond).toEqual([400]);
  });

  test('because it was never run, or measured no rate', () => {
    const silent = trial('server', 0, 0);
    const runs = [
      trial('engine', 0, 600),
      { ...silent, rates: { ...silent.rates, achievedPerSecond: null } },
      trial('engine', 1, 600),
    ];
    expect(sideBySide(runs, 'engine', 'server')[0]?.ratios).toEqual([]);
  });
});

test('different work is not compared with each other, whatever the target', () => {
  const slow = trial('engine', 0, 100);
  const other = {
    ...slow,
    workload: { ...slow.workload, parameters: { ...slow.workload.parameters, rate: '1/s' } },
  };
  const works = sideBySide([trial('engine', 0, 600), trial('server', 0, 300), other], 'engine', 'server');
  expect(works.map(({ ratios }) => ratios)).toEqual([[2], []]);
});

test('rates stand beside what was lost and stored twice', () => {
  const run = trial('engine', 0, 600, { verdict: 'violation' });
  const audit = { ...run.audit, totals: { ...run.audit.totals, lost: 3, leakedInWindow: 2 } };
  const [work] = sideBySide([{ ...run, audit }], 'engine', 'server');
  expect(work?.left).toEqual({ target: 'engine', perSecond: [], lost: 3, leakedInWindow: 2 });
  expect(work?.right).toEqual({ target: 'server', perSecond: [], lost: 0, leakedInWindow: 0 });
});

test('work that consumes is measured by its deliveries', () => {
  const consume = (spec: string, perSecond: number): Run => {
    const run = trial(spec, 0, 1);
    return { ...run, rates: { ...run.rates, deliveredPerSecond: perSecond } };
  };
  expect(sideBySide([consume('engine', 900), consume('server', 300)], 'engine', 'server')[0]?.ratios).toEqual(
    [3],
  );
});
