// How a run is told when it is over: table, findings, files, verdict; or all of it as one document.

import { quantiles } from '../../results/histogram.ts';
import { formatCount, plural } from '../../results/format.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { summaryTable } from './run-table.ts';

export interface Outcome {
  readonly summary: Summary;
  readonly runId: string;
  /** Signal's exit code when the run was cut short. */
  readonly interruptedCode: ExitCode | null;
  readonly trialsPlanned: number;
  readonly resultsFile: string;
  readonly reportFile: string;
}

/** A violation outranks an interruption, which outranks what else the trials say. */
export function outcomeExitCode(outcome: Outcome): ExitCode {
  if (outcome.summary.exitCode === exitCodes.violation) return exitCodes.violation;
  return outcome.interruptedCode ?? outcome.summary.exitCode;
}

/** The last line of standard output. */
export function verdictLine(outcome: Outcome): string {
  const { summary, interruptedCode, trialsPlanned } = outcome;
  const cut =
    interruptedCode === null
      ? ''
      : ` Interrupted: ${summary.trialCount} of ${trialsPlanned} trials, kept as partial.`;
  return `verdict: ${summary.verdict} - ${summary.sentence}${cut}`;
}

/** Table, what must be read, and where the files are. */
export function outcomeLines(outcome: Outcome): string[] {
  const { summary } = outcome;
  const table = summary.cells.length === 0 ? [] : [summaryTable(summary), ''];
  return [
    ...table,
    ...findingLines(summary),
    ...caveatLines(summary),
    `results  ${outcome.resultsFile}`,
    `report   ${outcome.reportFile}`,
    verdictLine(outcome),
  ];
}

/** The document of `run --json`. */
export function outcomeDocument(outcome: Outcome): object {
  const { summary } = outcome;
  return {
    schema: 1,
    runId: outcome.runId,
    verdict: summary.verdict,
    sentence: summary.sentence,
    exitCode: outcomeExitCode(outcome),
    partial: outcome.interruptedCode !== null,
    trials: { planned: outcome.trialsPlanned, done: summary.trialCount },
    results: outcome.resultsFile,
    report: outcome.reportFile,
    cells: summary.cells.map(cellDocument),
  };
}

function cellDocument(cell: CellSummary): object {
  return {
    cell: cell.cell,
    workload: cell.workload.name,
    parameters: cell.workload.parameters,
    swept: cell.workload.swept,
    target: cell.target,
    repeats: cell.runs.length,
    verdict: cell.verdict,
    rates: {
      offered: cell.offeredPerSecond,
      achieved: cell.achievedPerSecond,
      delivered: cell.deliveredPerSecond,
    },
    responseNs: percentiles(cell.histograms.response),
    serviceNs: percentiles(cell.histograms.service),
    latenessNs: percentiles(cell.histograms.lateness),
    endToEndNs: percentiles(cell.histograms.endToEnd),
    counters: cell.counters,
    audit: cell.audit,
    findings: cell.findings,
    memory: {
      residentBytes: cell.residentBytesMax,
      dedupBytes: cell.dedupBytesMax,
      dedupEntries: cell.dedupEntriesMax,
    },
    caveats: cell.caveats,
  };
}

function percentiles(histogram: CellSummary['histograms']['response']): object | null {
  if (histogram === null) return null;
  const [p50, p90, p99, p999] = quantiles(histogram, [0.5, 0.9, 0.99, 0.999]);
  return { count: histogram.count, min: histogram.min, p50, p90, p99, p999, max: histogram.max };
}

function findingLines(summary: Summary): string[] {
  const findings = summary.cells
    .flatMap((cell) => cell.runs)
    .flatMap((run) => run.audit.findings)
    .filter((finding) => finding.severity === 'violation' && finding.count > 0);
  return findings.slice(0, 8).map((finding) => {
    const example = finding.examples[0];
    return `broken   ${formatCount(finding.count)} ${finding.class}${example === undefined ? '' : `: ${example}`}`;
  });
}

/** Each kind of caveat once for each severity, with the number of cells that have it. */
function caveatLines(summary: Summary): string[] {
  const counts = new Map<string, { line: string; count: number }>();
  for (const { kind, severity, message } of summary.cells.flatMap((cell) => cell.caveats)) {
    const line = `${severity === 'invalid' ? 'invalid' : 'caveat '}  ${message}`;
    const known = counts.get(`${kind} ${severity}`) ?? { line, count: 0 };
    counts.set(`${kind} ${severity}`, { ...known, count: known.count + 1 });
  }
  const total = plural(summary.cells.length, 'cell');
  return [...counts.values()].map(({ line, count }) => `${line} (${count} of ${total})`);
}
