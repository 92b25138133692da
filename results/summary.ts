// What the trials of one or many runs say together: repeats of a cell are merged (samples added, never averaged), and
// everything together gets one verdict and one sentence.

import { describeFinding } from './findings.ts';
import { formatCount, plural } from './format.ts';
import { groupBy } from './group-by.ts';
import { mergeHistograms } from './histogram.ts';
import type { AuditClass, Caveat, Counters, Histogram, Run } from './run.ts';
import { type Spread, spreadOf } from './stats/sample.ts';
import { exitCodeOf, type Verdict, worstVerdict } from './verdict.ts';

export interface Summary {
  /** In the order in which they were first seen. */
  readonly cells: readonly CellSummary[];
  readonly trialCount: number;
  readonly verdict: Verdict;
  readonly exitCode: 0 | 4 | 6;
  /** What came out, in one short sentence without the word of the verdict. */
  readonly headline: string;
  /** How much stands behind it, and what to do next. */
  readonly detail: string;
  /** Both together. */
  readonly sentence: string;
}

/** Repeats of one set of parameters on one target. Rates and histograms are of the measured phase. */
export interface CellSummary {
  /** Equal for equal parameters, target, client and machine, and for nothing else. */
  readonly key: string;
  readonly cell: string;
  readonly runs: readonly Run[];
  readonly target: Run['target'];
  readonly environmentId: string;
  readonly client: Run['client'];
  readonly workload: Run['workload'];
  readonly verdict: Verdict;
  /** Repeats that are neither partial nor invalid: the numbers below are theirs; of all, when there is none. */
  readonly usableCount: number;
  readonly offeredPerSecond: Spread | null;
  readonly achievedPerSecond: Spread | null;
  readonly deliveredPerSecond: Spread | null;
  readonly histograms: {
    readonly response: Histogram | null;
    readonly service: Histogram | null;
    readonly lateness: Histogram | null;
    readonly endToEnd: Histogram | null;
  };
  /** Sums over the repeats, all phases. */
  readonly counters: Counters;
  /** Sums over the repeats of what the audits counted. */
  readonly audit: Run['audit']['totals'];
  readonly findings: Readonly<Partial<Record<AuditClass, number>>>;
  readonly residentBytesMax: Spread | null;
  readonly dedupBytesMax: Spread | null;
  readonly dedupEntriesMax: Spread | null;
  /** Distinct ones, the invalidating first. */
  readonly caveats: readonly Caveat[];
}

/** Pure; an empty list is 'invalid': nothing was measured. */
export function summarise(runs: readonly Run[]): Summary {
  const cells = [...groupBy(runs, cellKey)].map(([key, group]) => summariseCell(key, group));
  const verdict = worstVerdict(runs.map((run) => run.verdict));
  const { headline, detail } = verdictText(runs, cells.length, verdict);
  return {
    cells,
    trialCount: runs.length,
    verdict,
    exitCode: exitCodeOf(verdict),
    headline,
    detail,
    sentence: `${headline} ${detail}`,
  };
}

/** Text that is equal for trials which may be merged, and for no others. */
export function cellKey(run: Run): string {
  const { target, workload } = run;
  return JSON.stringify([
    workload.name,
    Object.entries(workload.parameters).toSorted(([left], [right]) => (left < right ? -1 : 1)),
    [target.spec, target.server, target.version, target.profile, target.storage, target.flags],
    [run.client, run.workerCount, run.environment.id],
  ]);
}

function summariseCell(key: string, runs: readonly Run[]): CellSummary {
  const [first] = runs as readonly [Run, ...Run[]];
  const usable = runs.filter((run) => !run.partial && run.verdict !== 'invalid');
  const counted = usable.length > 0 ? usable : runs;
  return {
    key,
    cell: first.cell,
    runs,
    target: first.target,
    environmentId: first.environment.id,
    client: first.client,
    workload: first.workload,
    verdict: worstVerdict(runs.map((run) => run.verdict)),
    usableCount: usable.length,
    offeredPerSecond: spreadOfKnown(counted.map((run) => run.rates.offeredPerSecond)),
    achievedPerSecond: spreadOfKnown(counted.map((run) => run.rates.achievedPerSecond)),
    deliveredPerSecond: spreadOfKnown(counted.map((run) => run.rates.deliveredPerSecond)),
    histograms: {
      response: mergedHistogram(counted, 'response'),
      service: mergedHistogram(counted, 'service'),
      lateness: mergedHistogram(counted, 'lateness'),
      endToEnd: mergedHistogram(counted, 'endToEnd'),
    },
    counters: addRecords(runs.map((run) => run.totals)),
    audit: addRecords(runs.map((run) => run.audit.totals)),
    findings: addFindings(runs),
    residentBytesMax: spreadOfKnown(counted.map((run) => largest(run, 'residentBytes'))),
    dedupBytesMax: spreadOfKnown(counted.map((run) => largest(run, 'dedupBytes'))),
    dedupEntriesMax: spreadOfKnown(counted.map((run) => largest(run, 'dedupEntries'))),
    caveats: distinctCaveats(runs),
  };
}

interface VerdictText {
  readonly headline: string;
  readonly detail: string;
}

function verdictText(runs: readonly Run[], cellCount: number, verdict: Verdict): VerdictText {
  if (runs.length === 0) {
    return {
      headline: 'Nothing was measured.',
      detail: 'No trial has a record: check the target and run again.',
    };
  }
  return verdictTexts[verdict](runs, `${plural(runs.length, 'trial')} in ${plural(cellCount, 'cell')}`);
}

const verdictTexts: Readonly<Record<Verdict, (runs: readonly Run[], scope: string) => VerdictText>> = {
  valid: (runs, scope) => ({
    headline: `Exactly-once held: ${accountText(runs)}.`,
    detail: `${scope}; none lost, none stored twice inside its window.${afterWindowText(runs)}`,
  }),
  violation: (runs, scope) => {
    const broken = runs.filter((run) => run.verdict === 'violation').length;
    return {
      headline: `Exactly-once was broken: ${violationList(runs)}.`,
      detail: `In ${formatCount(broken)} of ${scope}; the findings name examples.`,
    };
  },
  invalid: (runs) => {
    const bad = runs.filter((run) => run.verdict === 'invalid');
    const reason = bad.flatMap((run) => run.caveats).find((one) => one.severity === 'invalid');
    const good = runs.filter((run) => run.verdict === 'valid');
    return {
      headline: `${formatCount(bad.length)} of ${plural(runs.length, 'trial')} must not be used.`,
      detail:
        `${reason === undefined ? 'No reason was recorded' : capitalised(reason.message)}.` +
        (good.length === 0 ? '' : ` In the other ${formatCount(good.length)}, ${accountText(good)}.`),
    };
  },
  unknown: (runs) => {
    const unknown = runs.filter((run) => run.verdict === 'unknown');
    const reason = unknown.flatMap((run) => run.audit.reasons)[0];
    return {
      headline: `The audit of ${formatCount(unknown.length)} of ${plural(runs.length, 'trial')} could not tell.`,
      detail: reason === undefined ? 'No reason was recorded.' : `${capitalised(reason)}.`,
    };
  },
};

function accountText(runs: readonly Run[]): string {
  const totals = addRecords(runs.map((run) => run.audit.totals));
  const acknowledged = totals.acknowledgedIds;
  if (acknowledged === 0) {
    return `every one of ${plural(totals.deliveredDistinct, 'delivered message')} is accounted for`;
  }
  return `every one of ${plural(acknowledged, 'acknowledged message')} is accounted for`;
}

function afterWindowText(runs: readonly Run[]): string {
  const late = addRecords(runs.map((run) => run.audit.totals)).leakedAfterWindow;
  if (late === 0) return '';
  const retries = plural(late, 'retry', 'retries');
  return ` ${retries} after the window stored a second copy, as configured: lengthen duplicate_window.`;
}

function violationList(runs: readonly Run[]): string {
  const violations = runs.flatMap((run) => run.audit.findings).filter((one) => one.severity === 'violation');
  const counts = groupBy(violations, (finding) => finding.class);
  return [...counts]
    .map(([name, group]) => [name, group.reduce((sum, finding) => sum + finding.count, 0)] as const)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => describeFinding(name, count))
    .join(', ');
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function mergedHistogram(
  runs: readonly Run[],
  name: 'response' | 'service' | 'lateness' | 'endToEnd',
): Histogram | null {
  const histograms = runs
    .flatMap((run) => run.phases.filter((phase) => phase.name === 'measure'))
    .map((phase) => phase.histograms[name]);
  return mergeHistograms(histograms.filter((histogram) => histogram !== null));
}

function spreadOfKnown(values: readonly (number | null)[]): Spread | null {
  return spreadOf(values.filter((value) => value !== null));
}

function largest(run: Run, name: 'residentBytes' | 'dedupBytes' | 'dedupEntries'): number | null {
  const values = run.memory.map((sample) => sample[name]).filter((value) => value !== null);
  return values.length === 0 ? null : values.reduce((max, value) => Math.max(max, value), 0);
}

function addRecords<Numbers extends Record<string, number>>(records: readonly Numbers[]): Numbers {
  const sum: Record<string, number> = {};
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) sum[name] = (sum[name] ?? 0) + value;
  }
  return sum as Numbers;
}

function addFindings(runs: readonly Run[]): Partial<Record<AuditClass, number>> {
  const sums: Partial<Record<AuditClass, number>> = {};
  for (const finding of runs.flatMap((run) => run.audit.findings)) {
    sums[finding.class] = (sums[finding.class] ?? 0) + finding.count;
  }
  return sums;
}

function distinctCaveats(runs: readonly Run[]): Caveat[] {
  const seen = new Map<string, Caveat>();
  for (const one of runs.flatMap((run) => run.caveats)) {
    const known = seen.get(one.kind);
    if (known === undefined || (known.severity === 'warning' && one.severity === 'invalid')) {
      seen.set(one.kind, one);
    }
  }
  return [...seen.values()].toSorted((left, right) => left.severity.localeCompare(right.severity));
}
