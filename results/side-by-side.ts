// Two targets under the same work in the same run, pair by pair: the figures of a speed claim. A ratio of pairs holds
// when the machine's speed drifts, a single rate does not.

import type { Run } from './run.ts';

/** Rates of one target in one piece of work, over its valid trials; what it lost and stored twice, over all of them. */
export interface SideRates {
  readonly target: string;
  readonly perSecond: readonly number[];
  readonly lost: number;
  readonly leakedInWindow: number;
}

/** One piece of work done by both. Empty lists when no pair was valid on both sides. */
export interface SideBySide {
  readonly workload: string;
  readonly left: SideRates;
  readonly right: SideRates;
  /** left / right of each pair, in the order in which they ran. */
  readonly ratios: readonly number[];
}

/** Pairs the trials of `left` and `right` (target specs) by workload, parameters and repeat. */
export function sideBySide(runs: readonly Run[], left: string, right: string): SideBySide[] {
  const works = new Map<string, Run[]>();
  for (const run of runs) {
    const key = workKey(run);
    works.set(key, [...(works.get(key) ?? []), run]);
  }
  return [...works.values()].map((trials) => compareWork(trials, left, right));
}

// The same work, whoever does it.
function workKey({ workload, client, workerCount }: Run): string {
  const parameters = Object.entries(workload.parameters).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
  return JSON.stringify([workload.name, parameters, client, workerCount]);
}

function compareWork(trials: readonly Run[], left: string, right: string): SideBySide {
  const of = (spec: string): Run[] => trials.filter((run) => run.target.spec === spec);
  const rightByRepeat = new Map(
    of(right)
      .filter(isUsable)
      .map((run) => [run.repeat, run]),
  );
  const ratios: number[] = [];
  for (const run of of(left).filter(isUsable)) {
    const other = rightByRepeat.get(run.repeat);
    const rates = [rateOf(run), other === undefined ? null : rateOf(other)];
    const [mine, theirs] = rates;
    if (typeof mine === 'number' && typeof theirs === 'number' && theirs > 0) ratios.push(mine / theirs);
  }
  return {
    workload: trials[0]?.workload.name ?? '',
    left: ratesOf(of(left), left),
    right: ratesOf(of(right), right),
    ratios,
  };
}

function isUsable(run: Run): boolean {
  return run.verdict === 'valid' && !run.partial;
}

/** What the work is about: deliveries when it consumes, accepted publishes otherwise. */
function rateOf(run: Run): number | null {
  return run.rates.deliveredPerSecond ?? run.rates.achievedPerSecond;
}

function ratesOf(runs: readonly Run[], target: string): SideRates {
  return {
    target,
    perSecond: runs
      .filter(isUsable)
      .map(rateOf)
      .filter((rate): rate is number => rate !== null),
    lost: runs.reduce((sum, run) => sum + run.audit.totals.lost, 0),
    leakedInWindow: runs.reduce((sum, run) => sum + run.audit.totals.leakedInWindow, 0),
  };
}
