import { formatCount, formatDuration, formatRate } from '../../results/format.ts';
import { quantiles } from '../../results/histogram.ts';
import type { Summary } from '../../results/summary.ts';
import { ink } from '../theme.ts';
import { type AxisUnit, durationUnit, logDomain, logTicks, measuredTicks } from './axes.ts';
import { columns, type Figure, type PanelSpec } from './figure.ts';
import { intervalLayer, pointLayers, targetColour } from './layers.ts';
import { type LoadPoint, type LoadSweep, loadSweep } from './load-points.ts';
import { legendOf, unusableEntry } from './targets.ts';
import { trialsEach } from './throughput.ts';

interface KneeRow {
  readonly target: string;
  readonly offered: number;
  readonly quantile: 'p50' | 'p99';
  readonly latency: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly isUsable: boolean;
}

/** Response time against the offered rate: the knee is where waiting begins. */
export function responseTimeFigure(summary: Summary): Figure | null {
  const sweep = loadSweep(summary);
  if (sweep === null) return null;
  const unit = durationUnit(sweep.points.flatMap((point) => point.p99Ns?.median ?? []));
  const rows = sweep.points.flatMap((point) => kneeRows(point, unit));
  if (rows.length === 0) return null;
  const hasUnusable = rows.some((row) => !row.isUsable);
  return {
    id: 'response-time',
    title: 'Response time: the knee',
    reading:
      'Each target has two lines, p99 solid and p50 dashed; to the left of the bend a higher rate costs nothing, ' +
      'to the right messages wait.',
    glossary:
      'Response time: from the moment a message was due to its PubAck, so that waiting in the generator while a ' +
      'target stalls counts. p99: 99 of 100 messages are at least this fast.',
    panels: [{ title: null, height: 250, spec: kneeSpec(sweep, rows, unit) }],
    legend: [
      ...legendOf(sweep.series),
      { label: 'p99', colour: ink.text, mark: 'line' },
      { label: 'p50', colour: ink.text, mark: 'dashed' },
      ...(hasUnusable ? [unusableEntry] : []),
    ],
    notes: [
      `All messages of ${trialsEach(sweep.points)} a point in one histogram; bars: lowest and highest p99 of a single trial.`,
      ...missingNote(sweep, rows),
    ],
    table: {
      columns: columns(
        'Target',
        '#Offered',
        '#p50',
        '#p99',
        '#p99 min–max',
        '#p99.9',
        '#Max',
        '#Messages',
        '#Trials',
      ),
      rows: sweep.points.map(kneeTableRow),
    },
    isLatency: true,
  };
}

function kneeRows(point: LoadPoint, unit: AxisUnit): KneeRow[] {
  const [p50, p99] = quantiles(point.response, [0.5, 0.99]);
  const common = { target: point.target, offered: point.offeredPerSecond, isUsable: point.isUsable };
  const rows: KneeRow[] = [];
  if (typeof p50 === 'number' && p50 > 0) {
    rows.push({ ...common, quantile: 'p50', latency: p50 / unit.divisor, low: null, high: null });
  }
  if (typeof p99 === 'number' && p99 > 0) {
    const low = (point.p99Ns?.min ?? p99) / unit.divisor;
    const high = (point.p99Ns?.max ?? p99) / unit.divisor;
    rows.push({ ...common, quantile: 'p99', latency: p99 / unit.divisor, low, high });
  }
  return rows;
}

function kneeSpec(sweep: LoadSweep, rows: readonly KneeRow[], unit: AxisUnit): PanelSpec {
  const rateDomain = logDomain(rows.map((row) => row.offered));
  const timeDomain = logDomain(
    rows.flatMap((row) => [row.latency, row.low ?? row.latency, row.high ?? row.latency]),
  );
  return {
    data: { values: [...rows] },
    encoding: {
      x: {
        field: 'offered',
        type: 'quantitative',
        scale: { type: 'log', domain: rateDomain, nice: false },
        axis: {
          values: measuredTicks(
            rows.map((row) => row.offered),
            rateDomain,
          ),
          format: '.3~s',
          title: 'Offered rate (messages/s)',
        },
      },
      y: {
        field: 'latency',
        type: 'quantitative',
        scale: { type: 'log', domain: timeDomain, nice: false },
        axis: { values: logTicks(...timeDomain), format: '~r', title: `Response time (${unit.name})` },
      },
    },
    layer: [
      { transform: [{ filter: 'datum.low !== null' }], ...intervalLayer(sweep.series, 'low', 'high') },
      {
        mark: { type: 'line', strokeWidth: 2 },
        encoding: {
          ...targetColour(sweep.series),
          strokeDash: {
            field: 'quantile',
            type: 'nominal',
            scale: {
              domain: ['p99', 'p50'],
              range: [
                [1, 0],
                [5, 3],
              ],
            },
            legend: null,
          },
        },
      },
      ...pointLayers(sweep.series),
    ],
  };
}

function missingNote(sweep: LoadSweep, rows: readonly KneeRow[]): string[] {
  const withP99 = rows.filter((row) => row.quantile === 'p99').length;
  const missing = sweep.points.length - withP99;
  return missing === 0
    ? []
    : [`${missing} of ${sweep.points.length} points have fewer than 1 000 messages and show no p99.`];
}

function kneeTableRow(point: LoadPoint): string[] {
  const [p50, p99, p999] = quantiles(point.response, [0.5, 0.99, 0.999]);
  const { p99Ns } = point;
  return [
    point.target,
    formatRate(point.offeredPerSecond),
    formatDuration(p50 ?? null),
    formatDuration(p99 ?? null),
    p99Ns === null ? '–' : `${formatDuration(p99Ns.min)} – ${formatDuration(p99Ns.max)}`,
    formatDuration(p999 ?? null),
    formatDuration(point.response?.max ?? null),
    formatCount(point.response?.count ?? null),
    String(point.trialCount),
  ];
}
