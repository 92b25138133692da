// What the trials of one or many runs say together: repeats of a cell are merged (samples added, never averaged), and
// everything together gets one verdict and one sentence.

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
  /** One sentence, without the word of the verdict. */
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
  return {
    cells,
    trialCount: runs.length,
    verdict,
    exitCode: exitCodeOf(verdict),
    sentence: sentenceOf(runs, verdict),
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

function sentenceOf(runs: readonly Run[], verdict: Verdict): string {
  if (runs.length === 0) return 'nothing was measured: no trial has a record.';
  const cellCount = groupBy(runs, cellKey).size;
  const done = `${plural(runs.length, 'trial')} in ${plural(cellCount, 'cell')}`;
  return `${done}: ${verdictSentences[verdict](runs)}`;
}

const verdictSentences: Readonly<Record<Verdict, (runs: readonly Run[]) => string>> = {
  valid: accountSentence,
  violation: (runs) => `exactly-once was broken: ${violationList(runs)}.`,
  invalid: invalidSentence,
  unknown: unknownSentence,
};

function accountSentence(runs: readonly Run[]): string {
  const totals = addRecords(runs.map((run) => run.audit.totals));
  const late = totals.leakedAfterWindow;
  const after =
    late === 0
      ? ''
      : ` ${plural(late, 'retry', 'retries')} after the window stored a second copy, as configured: lengthen duplicate_window.`;
  return (
    `every one of ${plural(totals.acknowledgedIds, 'acknowledged message')} accounted for, ` +
    `none lost, none stored twice inside its window.${after}`
  );
}

function violationList(runs: readonly Run[]): string {
  const counts = new Map<string, number>();
  for (const finding of runs.flatMap((run) => run.audit.findings)) {
    if (finding.severity !== 'violation' || finding.count === 0) continue;
    counts.set(finding.class, (counts.get(finding.class) ?? 0) + finding.count);
  }
  return [...counts].map(([name, count]) => `${formatCount(count)} ${findingNoun(name)}`).join(', ');
}

function findingNoun(name: string): string {
  return name.replaceAll('-', ' ');
}

function invalidSentence(runs: readonly Run[]): string {
  const invalid = runs.filter((run) => run.verdict === 'invalid');
  const reason = invalid.flatMap((run) => run.caveats).find((one) => one.severity === 'invalid');
  const count = `the numbers of ${formatCount(invalid.length)} must not be used`;
  return reason === undefined ? `${count}.` : `${count}: ${reason.message}.`;
}

function unknownSentence(runs: readonly Run[]): string {
  const unknown = runs.filter((run) => run.verdict === 'unknown');
  const reason = unknown.flatMap((run) => run.audit.reasons)[0];
  const count = `the audit of ${formatCount(unknown.length)} could not tell`;
  return reason === undefined ? `${count}.` : `${count}: ${reason}.`;
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
