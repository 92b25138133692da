import Table from 'cli-table3';
import pc from 'picocolors';
import { formatBytes, formatCount, formatDuration, formatRate } from '../../results/format.ts';
import { quantile } from '../../results/histogram.ts';
import type { Run } from '../../results/run.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';

const head = [
  'workload',
  'target',
  'n',
  'rate',
  'p50',
  'p99',
  'stored',
  'dup',
  'leaked',
  'lost',
  'redel',
  'memory',
  'verdict',
];
const textColumnCount = 2;

/** One row a cell: medians of rates, percentiles of response time over all repeats, counts added up. */
export function summaryTable(summary: Summary): string {
  const plain = { head: [], border: [], compact: true };
  const colAligns = head.map((_, column) =>
    column < textColumnCount ? ('left' as const) : ('right' as const),
  );
  const table = new Table({ head: [...head], style: plain, colAligns, chars: bareLines });
  for (const cell of summary.cells) table.push(row(cell));
  return table.toString();
}

/** Swept parameters as `name=value`. */
export function cellLabel(workload: Run['workload']): string {
  return [workload.name, ...workload.swept.map((name) => `${name}=${workload.parameters[name] ?? ''}`)].join(
    ' ',
  );
}

/** `nats-server 2.15.1`, or what was asked for when nothing answered. */
export function targetLabel(target: Run['target']): string {
  return target.server === 'unknown' ? target.spec : `${target.server} ${target.version}`;
}

/** Verdict in colour where colours are shown. */
export function verdictText(verdict: Run['verdict']): string {
  if (verdict === 'valid') return pc.green(verdict);
  return verdict === 'violation' ? pc.red(verdict) : pc.yellow(verdict);
}

function row(cell: CellSummary): string[] {
  const rate = cell.achievedPerSecond ?? cell.deliveredPerSecond;
  const { audit } = cell;
  return [
    cellLabel(cell.workload),
    targetLabel(cell.target),
    String(cell.runs.length),
    rate === null ? 'n/a' : formatRate(rate.median),
    formatDuration(quantile(cell.histograms.response ?? cell.histograms.endToEnd, 0.5)),
    formatDuration(quantile(cell.histograms.response ?? cell.histograms.endToEnd, 0.99)),
    formatCount(cell.counters.stored),
    formatCount(cell.counters.duplicate),
    formatCount(audit.leakedInWindow + audit.leakedAfterWindow),
    formatCount(audit.lost),
    formatCount(audit.redeliveries),
    formatBytes(cell.residentBytesMax?.median ?? null),
    verdictText(cell.verdict),
  ];
}

const bareLines = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' ',
};
