import { formatCount, formatDuration } from '../../results/format.ts';
import { groupBy } from '../../results/group-by.ts';
import { mergeHistograms, quantiles } from '../../results/histogram.ts';
import type { Histogram } from '../../results/run.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import { ink } from '../theme.ts';
import { type AxisUnit, durationUnit, logDomain, logTicks, measuredTicks } from './axes.ts';
import { columns, type Figure, type PanelSpec } from './figure.ts';
import { pointLayers, targetColour } from './layers.ts';
import { distinctValues, parameterOf } from './parameters.ts';
import { legendOf, targetKey, type TargetSeries, targetSeries } from './targets.ts';

interface AckWaitPoint {
  readonly target: string;
  readonly ackWaitNs: number;
  readonly endToEnd: Histogram;
  readonly trialCount: number;
  readonly isUsable: boolean;
}

/** Time to the first delivery against AckWait, where a plan swept it. */
export function ackWaitLatencyFigure(summary: Summary): Figure | null {
  const series = targetSeries(summary.cells.flatMap((cell) => cell.runs));
  const points = ackWaitPoints(summary, series);
  if (distinctValues(points.map((point) => point.ackWaitNs)).length < 2) return null;
  const shown = series.filter((one) => points.some((point) => point.target === one.label));
  const known = points.flatMap((point) =>
    quantiles(point.endToEnd, [0.5, 0.99]).filter((value) => value !== null),
  );
  if (known.length === 0) return null;
  return {
    id: 'ack-wait-latency',
    title: 'Latency to the first delivery against AckWait',
    reading:
      'p99 solid, p50 dashed; where a short AckWait makes the server deliver again, redeliveries take the consumer’s time ' +
      'and first deliveries come later.',
    glossary:
      'AckWait: how long a server waits for an acknowledgement before it delivers again. End to end: from the moment a ' +
      'message was due to its first delivery.',
    panels: [{ title: null, height: 250, spec: ackWaitSpec(shown, points) }],
    legend: [
      ...legendOf(shown),
      { label: 'p99', colour: ink.text, mark: 'line' },
      { label: 'p50', colour: ink.text, mark: 'dashed' },
    ],
    notes: [
      'All first deliveries of the measured phase of all trials in one histogram; counts are in the table.',
    ],
    table: {
      columns: columns('Target', '#AckWait', '#p50', '#p99', '#Max', '#Deliveries', '#Trials'),
      rows: points.map(ackWaitRow),
    },
    isLatency: true,
  };
}

function ackWaitPoints(summary: Summary, series: readonly TargetSeries[]): AckWaitPoint[] {
  const cells = summary.cells.filter(
    (cell) => parameterOf(cell, 'ackWaitNs') !== null && (cell.histograms.endToEnd?.count ?? 0) > 0,
  );
  return series.flatMap((one) => {
    const own = cells.filter((cell) => targetKey(cell.target) === one.key);
    const byWait = groupBy(own, (cell) => parameterOf(cell, 'ackWaitNs') as number);
    return [...byWait]
      .toSorted(([left], [right]) => left - right)
      .map(([ackWaitNs, group]) => ackWaitPoint(one.label, ackWaitNs, group));
  });
}

function ackWaitPoint(target: string, ackWaitNs: number, cells: readonly CellSummary[]): AckWaitPoint {
  const histograms = cells.map((cell) => cell.histograms.endToEnd).filter((histogram) => histogram !== null);
  return {
    target,
    ackWaitNs,
    endToEnd: mergeHistograms(histograms) as Histogram,
    trialCount: cells.reduce((sum, cell) => sum + Math.max(1, cell.usableCount), 0),
    isUsable: cells.some((cell) => cell.usableCount > 0),
  };
}

function ackWaitSpec(series: readonly TargetSeries[], points: readonly AckWaitPoint[]): PanelSpec {
  const waitUnit = durationUnit(points.map((point) => point.ackWaitNs));
  const measured = points.map((point) => ({ point, latencies: quantiles(point.endToEnd, [0.5, 0.99]) }));
  const unit = durationUnit(measured.flatMap(({ latencies }) => latencies.filter((value) => value !== null)));
  const rows = measured.flatMap(({ point, latencies }) => [
    ...latencyRow(point, 'p50', latencies[0] ?? null, waitUnit, unit),
    ...latencyRow(point, 'p99', latencies[1] ?? null, waitUnit, unit),
  ]);
  const xDomain = logDomain(rows.map((row) => row.ackWait));
  const yDomain = logDomain(rows.map((row) => row.latency));
  const dashes = [
    [1, 0],
    [5, 3],
  ];
  return {
    data: { values: rows },
    encoding: {
      x: {
        field: 'ackWait',
        type: 'quantitative',
        scale: { type: 'log', domain: xDomain, nice: false },
        axis: {
          values: measuredTicks(
            rows.map((row) => row.ackWait),
            xDomain,
          ),
          format: '.3~r',
          title: `AckWait (${waitUnit.name})`,
        },
      },
      y: {
        field: 'latency',
        type: 'quantitative',
        scale: { type: 'log', domain: yDomain, nice: false },
        axis: { values: logTicks(...yDomain), format: '~r', title: `First delivery after (${unit.name})` },
      },
    },
    layer: [
      {
        mark: { type: 'line', strokeWidth: 2 },
        encoding: {
          ...targetColour(series),
          strokeDash: {
            field: 'quantile',
            type: 'nominal',
            scale: { domain: ['p99', 'p50'], range: dashes },
            legend: null,
          },
        },
      },
      ...pointLayers(series),
    ],
  };
}

function latencyRow(
  point: AckWaitPoint,
  quantile: 'p50' | 'p99',
  latencyNs: number | null,
  waitUnit: AxisUnit,
  unit: AxisUnit,
): { target: string; quantile: string; ackWait: number; latency: number; isUsable: boolean }[] {
  if (latencyNs === null || latencyNs <= 0 || point.ackWaitNs <= 0) return [];
  const { target, isUsable } = point;
  return [
    {
      target,
      quantile,
      ackWait: point.ackWaitNs / waitUnit.divisor,
      latency: latencyNs / unit.divisor,
      isUsable,
    },
  ];
}

function ackWaitRow(point: AckWaitPoint): string[] {
  const [p50, p99] = quantiles(point.endToEnd, [0.5, 0.99]);
  return [
    point.target,
    formatDuration(point.ackWaitNs),
    formatDuration(p50 ?? null),
    formatDuration(p99 ?? null),
    formatDuration(point.endToEnd.max),
    formatCount(point.endToEnd.count),
    String(point.trialCount),
  ];
}
