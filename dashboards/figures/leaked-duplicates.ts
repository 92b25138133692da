import { formatCount, formatDuration, formatNumber, formatPercent } from '../../results/format.ts';
import { binomialInterval } from '../../results/stats/binomial.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import { columns, type Figure } from './figure.ts';
import { parameterOf, windowOverHorizon } from './parameters.ts';
import { type SharePoint, sharePanel } from './share-panel.ts';
import { labelOf, legendOf, type TargetSeries, targetSeries } from './targets.ts';

/** Retries stored a second time, against how much of the retry horizon the window covers. */
export function leakedDuplicatesFigure(summary: Summary): Figure | null {
  const series = targetSeries(summary.cells.flatMap((cell) => cell.runs));
  const cells = summary.cells.filter(isRetryCell);
  const points = cells.map((cell) => leakPoint(cell, series));
  if (points.length === 0) return null;
  const shown = series.filter((one) => points.some((point) => point.target === one.label));
  return {
    id: 'leaked-duplicates',
    title: 'Leaked duplicates: window against retry horizon',
    reading:
      'Left of the line at 1 the window is shorter than publishers retry, and late retries are stored as second messages; ' +
      'right of it every point should lie on zero.',
    glossary:
      'Leaked duplicate: one id stored twice. Inside the window that is the server’s fault and fails the run; after it, ' +
      'the configuration’s. Retry horizon: how long after the first send a publisher may still retry.',
    panels: [
      sharePanel(shown, points, {
        x: 'duplicate_window ÷ retry horizon',
        y: 'Retries stored twice',
        rule: 'window = horizon',
      }),
    ],
    legend: legendOf(shown),
    notes: [`Bars: 95 % binomial intervals (Wilson); ${trialNote(cells)}.`],
    table: {
      columns: columns(
        'Target',
        '#Window',
        '#Retry horizon',
        '#Ratio',
        '#Retries',
        '#Inside window',
        '#After window',
        '#Share',
        '#95 % interval',
      ),
      rows: cells.map((cell) => leakRow(cell, series)),
    },
    isLatency: false,
  };
}

// Consumed messages of a work queue are gone when the stream is read back, so its second copies cannot be counted there.
function isRetryCell(cell: CellSummary): boolean {
  return (
    cell.workload.name !== 'ack-then-retry' && windowOverHorizon(cell) !== null && cell.counters.retries > 0
  );
}

/** Trials behind a point of a chart that pools the repeats of a cell. */
export function trialNote(cells: readonly CellSummary[]): string {
  const counts = cells.map((cell) => cell.runs.length);
  const least = Math.min(...counts);
  const most = Math.max(...counts);
  const text = least === most ? String(least) : `${least}–${most}`;
  return `${text} ${most === 1 ? 'trial' : 'trials'} pooled in a point`;
}

function leakPoint(cell: CellSummary, series: readonly TargetSeries[]): SharePoint {
  return {
    target: labelOf(cell, series),
    x: windowOverHorizon(cell) as number,
    count: leakedCount(cell),
    outOf: cell.counters.retries,
    isUsable: cell.usableCount > 0,
  };
}

function leakedCount(cell: CellSummary): number {
  return Math.min(cell.audit.leakedInWindow + cell.audit.leakedAfterWindow, cell.counters.retries);
}

function leakRow(cell: CellSummary, series: readonly TargetSeries[]): string[] {
  const point = leakPoint(cell, series);
  const interval = binomialInterval(point.count, point.outOf);
  return [
    point.target,
    formatDuration(parameterOf(cell, 'windowNs')),
    formatDuration(parameterOf(cell, 'horizonNs')),
    formatNumber(point.x),
    formatCount(point.outOf),
    formatCount(cell.audit.leakedInWindow),
    formatCount(cell.audit.leakedAfterWindow),
    formatPercent(point.count / point.outOf),
    interval === null ? '–' : `${formatPercent(interval.low)} – ${formatPercent(interval.high)}`,
  ];
}
