// The rate sweep behind the knee charts: what each target made of each offered rate.

import { groupBy } from '../../results/group-by.ts';
import { mergeHistograms, quantile } from '../../results/histogram.ts';
import type { Histogram, Run } from '../../results/run.ts';
import { type Spread, spreadOf } from '../../results/stats/sample.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import { distinctValues, parameterOf } from './parameters.ts';
import { targetKey, type TargetSeries, targetSeries } from './targets.ts';

export interface LoadSweep {
  readonly workload: string;
  readonly series: readonly TargetSeries[];
  /** By target, then by offered rate. */
  readonly points: readonly LoadPoint[];
}

export interface LoadPoint {
  readonly target: string;
  readonly offeredPerSecond: number;
  readonly trialCount: number;
  readonly achieved: Spread;
  readonly response: Histogram | null;
  /** p99 of each trial on its own. */
  readonly p99Ns: Spread | null;
  readonly duplicateShare: number;
  readonly errorShare: number;
  /** False when no trial of the point may be used. */
  readonly isUsable: boolean;
}

/** The workload with the most offered rates; null unless some target saw two of them. */
export function loadSweep(summary: Summary): LoadSweep | null {
  const cells = summary.cells.filter(
    (cell) => parameterOf(cell, 'ratePerSecond') !== null && cell.offeredPerSecond !== null,
  );
  const byWorkload = [...groupBy(cells, (cell) => cell.workload.name)];
  const [widest] = byWorkload.toSorted(([, left], [, right]) => rateCount(right) - rateCount(left));
  if (widest === undefined || rateCount(widest[1]) < 2) return null;
  const [workload, swept] = widest;
  const series = targetSeries(summary.cells.flatMap((cell) => cell.runs));
  const points = series.flatMap((one) => {
    const own = swept.filter((cell) => targetKey(cell.target) === one.key);
    const byRate = groupBy(own, (cell) => parameterOf(cell, 'ratePerSecond') as number);
    return [...byRate]
      .toSorted(([left], [right]) => left - right)
      .map(([rate, group]) => loadPoint(one.label, rate, group));
  });
  return {
    workload,
    series: series.filter((one) => points.some((point) => point.target === one.label)),
    points,
  };
}

function rateCount(cells: readonly CellSummary[]): number {
  const groups = [...groupBy(cells, (cell) => targetKey(cell.target)).values()];
  return Math.max(
    0,
    ...groups.map((group) => distinctValues(group.map((cell) => parameterOf(cell, 'ratePerSecond'))).length),
  );
}

function loadPoint(target: string, offeredPerSecond: number, cells: readonly CellSummary[]): LoadPoint {
  const all = cells.flatMap((cell) => cell.runs);
  const usable = all.filter((run) => !run.partial && run.verdict !== 'invalid');
  const runs = usable.length > 0 ? usable : all;
  const histograms = runs.map(measuredResponse).filter((histogram) => histogram !== null);
  const sum = (pick: (run: Run) => number): number => runs.reduce((total, run) => total + pick(run), 0);
  return {
    target,
    offeredPerSecond,
    trialCount: runs.length,
    achieved:
      spreadOf(runs.map((run) => run.rates.achievedPerSecond).filter((rate) => rate !== null)) ?? noRate,
    response: mergeHistograms(histograms),
    p99Ns: spreadOf(
      histograms.map((histogram) => quantile(histogram, 0.99)).filter((value) => value !== null),
    ),
    duplicateShare: share(
      sum((run) => run.audit.totals.leakedInWindow + run.audit.totals.leakedAfterWindow),
      sum((run) => run.audit.totals.storedRead),
    ),
    errorShare: share(
      sum((run) => run.totals.failed + run.totals.unknown),
      sum((run) => run.totals.sent),
    ),
    isUsable: usable.length > 0,
  };
}

const noRate: Spread = { count: 0, median: 0, min: 0, max: 0 };

function measuredResponse(run: Run): Histogram | null {
  return run.phases.find((phase) => phase.name === 'measure')?.histograms.response ?? null;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
