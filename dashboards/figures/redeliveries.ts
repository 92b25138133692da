import { formatCount, formatDuration, formatNumber, formatPercent } from '../../results/format.ts';
import { binomialInterval } from '../../results/stats/binomial.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import { columns, type Figure } from './figure.ts';
import { trialNote } from './leaked-duplicates.ts';
import { parameterOf, pullOverAckWait } from './parameters.ts';
import { type SharePoint, sharePanel } from './share-panel.ts';
import { labelOf, legendOf, type TargetSeries, targetSeries } from './targets.ts';

/** Deliveries that were not the first, against how long a whole pull takes in units of AckWait. */
export function redeliveriesFigure(summary: Summary): Figure | null {
  const series = targetSeries(summary.cells.flatMap((cell) => cell.runs));
  const cells = summary.cells.filter((cell) => pullOverAckWait(cell) !== null && cell.counters.delivered > 0);
  const points = cells.map((cell) => redeliveryPoint(cell, series));
  if (points.length === 0) return null;
  const shown = series.filter((one) => points.some((point) => point.target === one.label));
  return {
    id: 'redeliveries',
    title: 'Redeliveries: handling a pull against AckWait',
    reading:
      'Right of the line at 1 the last message of a pull is handled after its AckWait is over, so the server delivers it ' +
      'again although nothing failed.',
    glossary:
      'Redelivery: a delivery whose count is above 1. Prefetch: messages asked for in one pull, all of which wait in the ' +
      'client, with their AckWait running, while the first is handled.',
    panels: [
      sharePanel(shown, points, {
        x: '(prefetch × handling time) ÷ AckWait',
        y: 'Deliveries that were redeliveries',
        rule: 'pull = AckWait',
      }),
    ],
    legend: legendOf(shown),
    notes: [`Bars: 95 % binomial intervals (Wilson); ${trialNote(cells)}.`],
    table: {
      columns: columns(
        'Target',
        '#Prefetch',
        '#Handling',
        '#AckWait',
        '#Ratio',
        '#Deliveries',
        '#Redeliveries',
        '#Share',
        '#95 % interval',
      ),
      rows: cells.map((cell) => redeliveryRow(cell, series)),
    },
    isLatency: false,
  };
}

function redeliveryPoint(cell: CellSummary, series: readonly TargetSeries[]): SharePoint {
  return {
    target: labelOf(cell, series),
    x: pullOverAckWait(cell) as number,
    count: cell.counters.redelivered,
    outOf: cell.counters.delivered,
    isUsable: cell.usableCount > 0,
  };
}

function redeliveryRow(cell: CellSummary, series: readonly TargetSeries[]): string[] {
  const point = redeliveryPoint(cell, series);
  const interval = binomialInterval(point.count, point.outOf);
  return [
    point.target,
    formatCount(parameterOf(cell, 'prefetch')),
    formatDuration(parameterOf(cell, 'handlingNs')),
    formatDuration(parameterOf(cell, 'ackWaitNs')),
    formatNumber(point.x),
    formatCount(point.outOf),
    formatCount(point.count),
    formatPercent(point.count / point.outOf),
    interval === null ? '–' : `${formatPercent(interval.low)} – ${formatPercent(interval.high)}`,
  ];
}
