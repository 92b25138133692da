import { formatPercent, formatRate, plural } from '../../results/format.ts';
import type { Summary } from '../../results/summary.ts';
import { ink } from '../theme.ts';
import { logDomain, logTicks, measuredTicks } from './axes.ts';
import { columns, type Figure, type PanelSpec } from './figure.ts';
import { intervalLayer, pointLayers, targetColour } from './layers.ts';
import { type LoadPoint, type LoadSweep, loadSweep } from './load-points.ts';
import { legendOf, unusableEntry } from './targets.ts';

/** Offered against achieved rate: where the line leaves the diagonal, the target is full. */
export function throughputFigure(summary: Summary): Figure | null {
  const sweep = loadSweep(summary);
  if (sweep === null) return null;
  const hasUnusable = sweep.points.some((point) => !point.isUsable);
  return {
    id: 'throughput',
    title: 'Throughput: offered and achieved rate',
    reading:
      'On the dashed diagonal a target keeps up with what it is offered; where its line bends away, it is full, ' +
      'and what it duplicates or refuses there is written beside the point.',
    glossary:
      'Offered rate: what the open-loop generator sends by the clock, whatever the target does. Achieved rate: PubAcks ' +
      'of stored messages a second over the measured phase.',
    panels: [{ title: null, height: 250, spec: throughputSpec(sweep) }],
    legend: [...legendOf(sweep.series), ...(hasUnusable ? [unusableEntry] : [])],
    notes: [
      `Workload ${sweep.workload}: median and min–max over ${trialsEach(sweep.points)} a point; ` +
        'cells that differ in anything but the rate share a point.',
    ],
    table: {
      columns: columns(
        'Target',
        '#Offered',
        '#Achieved (median)',
        '#Min–max',
        '#Trials',
        '#Stored twice',
        '#Errors',
        'Usable',
      ),
      rows: sweep.points.map(throughputRow),
    },
    isLatency: false,
  };
}

/** "3 trials", or "2–6 trials" where points differ. */
export function trialsEach(points: readonly { readonly trialCount: number }[]): string {
  const counts = points.map((point) => point.trialCount);
  const least = Math.min(...counts);
  const most = Math.max(...counts);
  return least === most ? plural(least, 'trial') : `${least}–${most} trials`;
}

function throughputSpec(sweep: LoadSweep): PanelSpec {
  const rows = sweep.points.map((point) => ({
    target: point.target,
    offered: point.offeredPerSecond,
    achieved: point.achieved.median,
    low: point.achieved.min,
    high: point.achieved.max,
    isUsable: point.isUsable,
    trouble: troubleText(point),
  }));
  const domain = logDomain(rows.flatMap((row) => [row.offered, row.low, row.high]));
  const rateAxis = {
    values: measuredTicks(
      rows.map((row) => row.offered),
      domain,
    ),
    format: '.3~s',
  };
  const achievedAxis = { values: logTicks(...domain), format: '~s' };
  const scale = { type: 'log', domain, nice: false } as const;
  const ends = [domain[0], domain[1]].map((rate) => ({ offered: rate, achieved: rate }));
  return {
    data: { values: rows },
    encoding: {
      x: {
        field: 'offered',
        type: 'quantitative',
        scale,
        axis: { ...rateAxis, title: 'Offered rate (messages/s)' },
      },
      y: {
        field: 'achieved',
        type: 'quantitative',
        scale,
        axis: { ...achievedAxis, title: 'Achieved rate (messages/s)' },
      },
    },
    layer: [
      { data: { values: ends }, mark: { type: 'line', color: ink.rule, strokeDash: [5, 4], strokeWidth: 1 } },
      intervalLayer(sweep.series, 'low', 'high'),
      { mark: { type: 'line', strokeWidth: 2 }, encoding: targetColour(sweep.series) },
      ...pointLayers(sweep.series),
      { mark: { type: 'text', align: 'right', dx: 8, dy: 20 }, encoding: { text: { field: 'trouble' } } },
    ],
  };
}

function troubleText(point: LoadPoint): string {
  const parts = [
    point.duplicateShare > 0 ? `${formatPercent(point.duplicateShare)} twice` : '',
    point.errorShare > 0 ? `${formatPercent(point.errorShare)} errors` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function throughputRow(point: LoadPoint): string[] {
  return [
    point.target,
    formatRate(point.offeredPerSecond),
    formatRate(point.achieved.median),
    `${formatRate(point.achieved.min)} – ${formatRate(point.achieved.max)}`,
    String(point.trialCount),
    formatPercent(point.duplicateShare),
    formatPercent(point.errorShare),
    point.isUsable ? 'yes' : 'no',
  ];
}
