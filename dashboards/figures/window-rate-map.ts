import { formatBytes, formatDuration, formatPercent, formatRate } from '../../results/format.ts';
import { groupBy } from '../../results/group-by.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import { heatInk, ink } from '../theme.ts';
import { columns, type Figure, type LegendEntry, type Panel } from './figure.ts';
import { distinctValues, parameterOf } from './parameters.ts';
import { labelOf, targetKey, targetSeries } from './targets.ts';

/** What a map can show, best first. */
interface Measure {
  readonly title: string;
  readonly reading: string;
  readonly valueOf: (cell: CellSummary) => number | null;
  readonly format: (value: number | null) => string;
}

const measures: readonly Measure[] = [
  {
    title: 'memory of the dedup window',
    reading: 'Each field is one window at one publish rate; what the ids in it take grows with both.',
    valueOf: (cell) => cell.dedupBytesMax?.median ?? null,
    format: formatBytes,
  },
  {
    title: 'growth of resident memory',
    reading: 'Each field is one window at one publish rate, with how much the process grew during the trial.',
    valueOf: residentGrowth,
    format: formatBytes,
  },
  {
    title: 'leaked duplicates',
    reading:
      'Each field is one window at one publish rate, with the share of retries that were stored twice.',
    valueOf: (cell) =>
      cell.counters.retries === 0
        ? null
        : (cell.audit.leakedInWindow + cell.audit.leakedAfterWindow) / cell.counters.retries,
    format: formatPercent,
  },
];

interface Field {
  readonly target: string;
  readonly rate: number;
  readonly windowNs: number;
  readonly value: number;
  readonly trialCount: number;
}

/** Window x publish rate, one map for each target, coloured by what most targets can tell about the cost of a window. */
export function windowRateMapFigure(summary: Summary): Figure | null {
  const candidates = measures.map((measure) => ({ measure, fields: mapFields(summary, measure) }));
  const [best] = candidates.toSorted((left, right) => targetCount(right.fields) - targetCount(left.fields));
  return best === undefined || best.fields.length === 0
    ? null
    : mapFigure(summary, best.fields, best.measure);
}

function targetCount(fields: readonly Field[]): number {
  return new Set(fields.map((field) => field.target)).size;
}

function mapFields(summary: Summary, measure: Measure): Field[] {
  const series = targetSeries(summary.cells.flatMap((cell) => cell.runs));
  const byWorkload = groupBy(summary.cells, (cell) => cell.workload.name);
  const swept = [...byWorkload.values()].find(isGrid) ?? [];
  const cells = swept.filter((cell) => cell.usableCount > 0 && measure.valueOf(cell) !== null);
  if (!isGrid(cells)) return [];
  const groups = groupBy(cells, (cell) =>
    JSON.stringify([
      targetKey(cell.target),
      parameterOf(cell, 'ratePerSecond'),
      parameterOf(cell, 'windowNs'),
    ]),
  );
  const fields = [...groups.values()].map((group) => {
    const [first] = group as [CellSummary, ...CellSummary[]];
    return {
      target: labelOf(first, series),
      rate: parameterOf(first, 'ratePerSecond') as number,
      windowNs: parameterOf(first, 'windowNs') as number,
      value: Math.max(...group.map((cell) => measure.valueOf(cell) as number)),
      trialCount: group.reduce((sum, cell) => sum + cell.usableCount, 0),
    };
  });
  const order = series.map((one) => one.label);
  return fields.toSorted(
    (left, right) =>
      order.indexOf(left.target) - order.indexOf(right.target) ||
      left.windowNs - right.windowNs ||
      left.rate - right.rate,
  );
}

function isGrid(cells: readonly CellSummary[]): boolean {
  const rates = distinctValues(cells.map((cell) => parameterOf(cell, 'ratePerSecond')));
  const windows = distinctValues(cells.map((cell) => parameterOf(cell, 'windowNs')));
  return rates.length >= 2 && windows.length >= 2;
}

function mapFigure(summary: Summary, fields: readonly Field[], measure: Measure): Figure {
  const binOf = heatBins(fields.map((field) => field.value));
  const byTarget = groupBy(fields, (field) => field.target);
  const missing = missingCount(summary, fields);
  return {
    id: 'window-rate-map',
    title: `Window × rate: ${measure.title}`,
    reading: measure.reading,
    glossary:
      'duplicate_window: how long a stream remembers a message id. What it holds is the publish rate times the window, ' +
      'so either of them buys memory.',
    panels: [...byTarget].map(([target, own]) => mapPanel(target, own, measure, binOf)),
    legend: heatLegend(fields, measure),
    notes: [
      `Highest value of each trial, median over ${trialsText(fields)} a field.`,
      ...(missing === 0
        ? []
        : [`${missing} of the swept fields have no usable trial that tells, and are left out.`]),
    ],
    table: {
      columns: columns('Target', '#Window', '#Rate', `#${capitalised(measure.title)}`, '#Trials'),
      rows: fields.map((field) => [
        field.target,
        formatDuration(field.windowNs),
        formatRate(field.rate),
        measure.format(field.value),
        String(field.trialCount),
      ]),
    },
    isLatency: false,
  };
}

function mapPanel(
  target: string,
  fields: readonly Field[],
  measure: Measure,
  binOf: (value: number) => number,
): Panel {
  const rates = distinctValues(fields.map((field) => field.rate)).map(formatRate);
  const windows = distinctValues(fields.map((field) => field.windowNs)).map(formatDuration);
  const values = fields.map((field) => ({
    rate: formatRate(field.rate),
    window: formatDuration(field.windowNs),
    colour: heatInk[binOf(field.value)] as string,
    ink: binOf(field.value) >= 4 ? ink.heatHigh : ink.heatLow,
    text: measure.format(field.value),
  }));
  return {
    title: target,
    height: 44 + 32 * windows.length,
    spec: {
      data: { values },
      encoding: {
        x: {
          field: 'rate',
          type: 'ordinal',
          sort: rates,
          axis: { title: 'Publish rate', labelAngle: 0, domain: false, ticks: false, titlePadding: 4 },
        },
        y: { field: 'window', type: 'ordinal', sort: windows.toReversed(), axis: { title: 'Window' } },
      },
      layer: [
        {
          mark: { type: 'rect', stroke: ink.surface, strokeWidth: 2, cornerRadius: 3 },
          encoding: { color: { field: 'colour', type: 'nominal', scale: null } },
        },
        {
          mark: { type: 'text', fontSize: 11 },
          encoding: {
            text: { field: 'text' },
            color: { field: 'ink', type: 'nominal', scale: null },
          },
        },
      ],
    },
  };
}

/** Seven steps: logarithmic where values span more than a factor of 20, else even. */
function heatBins(values: readonly number[]): (value: number) => number {
  const positive = values.filter((value) => value > 0);
  const low = Math.min(...positive);
  const high = Math.max(...positive);
  const steps = heatInk.length;
  const position = (value: number): number => {
    if (value <= 0 || positive.length === 0) return 0;
    if (high === low) return 0.5;
    return high / low > 20 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  };
  return (value) => Math.min(steps - 1, Math.floor(position(value) * steps));
}

function heatLegend(fields: readonly Field[], measure: Measure): LegendEntry[] {
  const values = fields.map((field) => field.value);
  const label = `${measure.format(Math.min(...values))} to ${measure.format(Math.max(...values))}`;
  return [{ label, colour: ink.text, mark: 'ramp' }];
}

function missingCount(summary: Summary, fields: readonly Field[]): number {
  const cells = [...groupBy(summary.cells, (cell) => cell.workload.name).values()].find(isGrid) ?? [];
  const all = groupBy(cells, (cell) =>
    JSON.stringify([
      targetKey(cell.target),
      parameterOf(cell, 'ratePerSecond'),
      parameterOf(cell, 'windowNs'),
    ]),
  );
  return all.size - fields.length;
}

function trialsText(fields: readonly Field[]): string {
  const counts = fields.map((field) => field.trialCount);
  const least = Math.min(...counts);
  const most = Math.max(...counts);
  return least === most ? `${least} ${least === 1 ? 'trial' : 'trials'}` : `${least}–${most} trials`;
}

function residentGrowth(cell: CellSummary): number | null {
  const growths = cell.runs.flatMap((run) => {
    const values = run.memory.map((sample) => sample.residentBytes).filter((value) => value !== null);
    return values.length < 2 ? [] : [Math.max(...values) - (values[0] as number)];
  });
  return growths.length === 0 ? null : Math.max(...growths);
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
