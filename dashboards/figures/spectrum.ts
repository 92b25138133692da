import { formatCount, formatDuration, formatRate, plural } from '../../results/format.ts';
import { groupBy } from '../../results/group-by.ts';
import { isLowerBound, quantiles, spectrum } from '../../results/histogram.ts';
import type { Histogram } from '../../results/run.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import { ink } from '../theme.ts';
import { durationUnit, logDomain, logTicks, positiveRows } from './axes.ts';
import { columns, type Figure, type PanelSpec } from './figure.ts';
import { targetColour } from './layers.ts';
import { labelOf, legendOf, targetKey, type TargetSeries, targetSeries } from './targets.ts';

interface SpectrumRow {
  readonly target: string;
  readonly kind: 'response' | 'service';
  /** Nines: 1 is 90 %, 2 is 99 %. */
  readonly nines: number;
  readonly latencyNs: number;
}

const tableFractions = [0.5, 0.9, 0.99, 0.999, 0.9999];

/** Latency of every share of the messages, response and service time side by side. */
export function spectrumFigure(summary: Summary): Figure | null {
  const cells = comparableCells(summary);
  if (cells.length === 0) return null;
  const series = targetSeries(summary.cells.flatMap((cell) => cell.runs));
  const shown = series.filter((one) => cells.some((cell) => targetKey(cell.target) === one.key));
  const all = cells.flatMap((cell) => spectrumRows(cell, labelOf(cell, series)));
  const { rows, note } = positiveRows(all, (row) => row.latencyNs);
  if (rows.length === 0) return null;
  return {
    id: 'spectrum',
    title: 'Percentile spectrum: response against service time',
    reading:
      'Read upwards from a share of the messages to the time within which they were answered; the gap between a solid ' +
      'line and its dotted one is time that messages spent waiting to be sent.',
    glossary:
      'Service time: from the send to the PubAck. Response time starts when the message was due instead, and is what a ' +
      'caller feels. The axis gives each further nine the same room.',
    panels: [{ title: null, height: 250, spec: spectrumSpec(shown, rows) }],
    legend: [
      ...legendOf(shown).map((entry) => ({ ...entry, mark: 'line' as const })),
      { label: 'response time', colour: ink.text, mark: 'line' },
      { label: 'service time', colour: ink.text, mark: 'dotted' },
    ],
    notes: [cellNote(cells), ...(note === null ? [] : [note])],
    table: {
      columns: columns('Target', 'Time', '#p50', '#p90', '#p99', '#p99.9', '#p99.99', '#Max', '#Messages'),
      rows: cells.flatMap((cell) => tableRows(cell, labelOf(cell, series))),
    },
    isLatency: true,
  };
}

/** The same parameters on as many targets as possible; among those the highest rate that every one of them kept up with. */
function comparableCells(summary: Summary): CellSummary[] {
  const usable = summary.cells.filter(
    (cell) => cell.usableCount > 0 && (cell.histograms.response?.count ?? 0) >= 1000,
  );
  const groups = [
    ...groupBy(usable, (cell) => JSON.stringify([cell.workload.name, cell.workload.parameters])).values(),
  ];
  const [best] = groups.toSorted(
    (left, right) => targetCount(right) - targetCount(left) || slowest(right) - slowest(left),
  );
  return [...groupBy(best ?? [], (cell) => targetKey(cell.target)).values()].map(
    ([first]) => first as CellSummary,
  );
}

function targetCount(cells: readonly CellSummary[]): number {
  return new Set(cells.map((cell) => targetKey(cell.target))).size;
}

function slowest(cells: readonly CellSummary[]): number {
  return Math.min(...cells.map((cell) => cell.achievedPerSecond?.median ?? 0));
}

function spectrumRows(cell: CellSummary, target: string): SpectrumRow[] {
  return (['response', 'service'] as const).flatMap((kind) =>
    spectrum(cell.histograms[kind]).map(({ fraction, valueNs }) => ({
      target,
      kind,
      nines: -Math.log10(1 - fraction),
      latencyNs: valueNs,
    })),
  );
}

function spectrumSpec(series: readonly TargetSeries[], rows: readonly SpectrumRow[]): PanelSpec {
  const unit = durationUnit(rows.map((row) => row.latencyNs));
  const values = rows.map((row) => ({
    target: row.target,
    kind: row.kind,
    nines: Math.round(row.nines * 1000) / 1000,
    latency: row.latencyNs / unit.divisor,
  }));
  const domain = logDomain(
    values.map((row) => row.latency),
    1.1,
  );
  const last = Math.max(...rows.map((row) => row.nines));
  const ticks = [0.301, ...Array.from({ length: Math.floor(last) }, (_, index) => index + 1)];
  return {
    data: { values },
    encoding: {
      x: {
        field: 'nines',
        type: 'quantitative',
        scale: { domain: [0, last], nice: false },
        axis: { values: ticks, labelExpr: ninesLabel, grid: true, title: 'Share of messages' },
      },
      y: {
        field: 'latency',
        type: 'quantitative',
        scale: { type: 'log', domain, nice: false },
        axis: { values: logTicks(...domain), format: '~r', title: `Latency (${unit.name})` },
      },
    },
    layer: [
      {
        mark: { type: 'line', strokeWidth: 2, interpolate: 'linear' },
        encoding: {
          ...targetColour(series),
          strokeDash: {
            field: 'kind',
            type: 'nominal',
            scale: {
              domain: ['response', 'service'],
              range: [
                [1, 0],
                [2, 3],
              ],
            },
            legend: null,
          },
        },
      },
    ],
  };
}

const ninesLabel =
  "datum.value < 0.5 ? '50 %' : datum.value < 1.5 ? '90 %' : datum.value < 2.5 ? '99 %' : " +
  "'99.' + slice('99999999', 0, round(datum.value) - 2) + ' %'";

function cellNote(cells: readonly CellSummary[]): string {
  const [first] = cells as readonly [CellSummary];
  const rate =
    first.offeredPerSecond === null ? '' : `, ${formatRate(first.offeredPerSecond.median)} offered`;
  return `Workload ${first.workload.name}${rate}; all messages of ${plural(first.usableCount, 'trial')} a line. Lines end at the slowest message.`;
}

function tableRows(cell: CellSummary, target: string): string[][] {
  return (['response', 'service', 'lateness'] as const).flatMap((kind) => {
    const histogram = cell.histograms[kind];
    if (histogram === null) return [];
    const times = quantiles(histogram, tableFractions).map((value, index) =>
      boundedDuration(histogram, tableFractions[index] as number, value),
    );
    return [[target, kind, ...times, formatDuration(histogram.max), formatCount(histogram.count)]];
  });
}

function boundedDuration(histogram: Histogram, fraction: number, valueNs: number | null): string {
  const text = formatDuration(valueNs);
  return valueNs !== null && isLowerBound(histogram, fraction) ? `≥ ${text}` : text;
}
