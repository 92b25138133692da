import { formatBytes, formatCount, formatDuration, formatRate, none } from '../../results/format.ts';
import { groupBy } from '../../results/group-by.ts';
import type { MemorySample, Run } from '../../results/run.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import { ink } from '../theme.ts';
import { type AxisUnit, byteUnit } from './axes.ts';
import { columns, type Figure, type Panel } from './figure.ts';
import { targetColour } from './layers.ts';
import { parameterOf } from './parameters.ts';
import { labelOf, legendOf, targetKey, type TargetSeries, targetSeries } from './targets.ts';

type SeriesName = 'residentBytes' | 'liveHeapBytes' | 'dedupBytes' | 'dedupEntries';

interface MemoryRow {
  readonly target: string;
  readonly series: SeriesName;
  readonly seconds: number;
  readonly value: number;
}

/** Points of one line; longer series are cut into this many bins, each with its highest value (case C154). */
const pointsMax = 150;

const byteSeries = ['residentBytes', 'liveHeapBytes', 'dedupBytes'] as const;
const byteDashes = [
  [1, 0],
  [6, 3],
  [2, 3],
];

/** Memory of the target over one trial: what it takes, what lives in it, what the window holds. */
export function memoryFigure(summary: Summary): Figure | null {
  const series = targetSeries(summary.cells.flatMap((cell) => cell.runs));
  const chosen = fullestTrials(summary);
  const rows = chosen.flatMap(({ cell, run }) => memoryRows(run, labelOf(cell, series)));
  if (rows.length === 0) return null;
  const shown = series.filter((one) => rows.some((row) => row.target === one.label));
  const present = byteSeries.filter((name) => rows.some((row) => row.series === name));
  return {
    id: 'memory',
    title: 'Memory over time',
    reading:
      'A line that levels off has reached its window; resident memory (solid) that stays up while the live heap (dashed) ' +
      'falls is memory that the process has not given back.',
    glossary:
      'Resident: what the operating system has handed to the process. Live heap: what is still referenced after a ' +
      'collection. Dedup entries: message ids that the window holds.',
    panels: memoryPanels(shown, rows, measuredSpan(chosen.map(({ run }) => run))),
    legend: [
      ...legendOf(shown).map((entry) => ({ ...entry, mark: 'line' as const })),
      ...present.map((name, index) => ({
        label: seriesLabels[name],
        colour: ink.text,
        mark: dashMarks[index] ?? 'dotted',
      })),
      { label: 'measured phase', colour: ink.shade, mark: 'area' },
    ],
    notes: [trialsNote(chosen)],
    table: {
      columns: columns(
        'Target',
        '#Rate',
        '#Window',
        '#Resident first',
        '#Resident peak',
        '#Live heap peak',
        '#Dedup entries peak',
        '#Dedup bytes peak',
        '#Samples',
      ),
      rows: chosen.map(({ cell, run }) => memoryTableRow(cell, run, labelOf(cell, series))),
    },
    isLatency: false,
  };
}

const seriesLabels: Readonly<Record<SeriesName, string>> = {
  residentBytes: 'resident',
  liveHeapBytes: 'live heap',
  dedupBytes: 'dedup window',
  dedupEntries: 'dedup entries',
};
const dashMarks = ['line', 'dashed', 'dotted'] as const;

interface ChosenTrial {
  readonly cell: CellSummary;
  readonly run: Run;
}

/** For each target the trial of the cell that held the most ids, or took the most memory. */
function fullestTrials(summary: Summary): ChosenTrial[] {
  const cells = summary.cells.filter(
    (cell) => cell.residentBytesMax !== null || cell.dedupEntriesMax !== null,
  );
  return [...groupBy(cells, (cell) => targetKey(cell.target)).values()].flatMap((group) => {
    const [fullest] = group.toSorted((left, right) => fullness(right) - fullness(left));
    const run = fullest?.runs.toSorted((left, right) => right.memory.length - left.memory.length)[0];
    return fullest === undefined || run === undefined ? [] : [{ cell: fullest, run }];
  });
}

function fullness(cell: CellSummary): number {
  return (cell.dedupEntriesMax?.max ?? 0) * 1e12 + (cell.residentBytesMax?.max ?? 0);
}

function memoryRows(run: Run, target: string): MemoryRow[] {
  return ([...byteSeries, 'dedupEntries'] as const).flatMap((series) =>
    binned(run.memory, series).map(({ seconds, value }) => ({ target, series, seconds, value })),
  );
}

/** The series with at most `pointsMax` points, each the highest of its bin. */
export function binned(
  samples: readonly MemorySample[],
  series: SeriesName,
): { seconds: number; value: number }[] {
  const known = samples.flatMap((sample) => {
    const value = sample[series];
    return value === null ? [] : [{ seconds: sample.atNs / 1e9, value }];
  });
  if (known.length <= pointsMax) return known;
  const perBin = Math.ceil(known.length / pointsMax);
  const bins = groupBy(
    known.map((point, index) => ({ point, bin: Math.floor(index / perBin) })),
    ({ bin }) => bin,
  );
  return [...bins.values()].map((bin) => ({
    seconds: (bin[0] as (typeof bin)[number]).point.seconds,
    value: Math.max(...bin.map(({ point }) => point.value)),
  }));
}

function memoryPanels(
  shown: readonly TargetSeries[],
  rows: readonly MemoryRow[],
  span: MeasuredSpan | null,
): Panel[] {
  const bytes = rows.filter((row) => row.series !== 'dedupEntries');
  const entries = rows.filter((row) => row.series === 'dedupEntries');
  const unit = byteUnit(bytes.map((row) => row.value));
  const last = Math.max(...rows.map((row) => row.seconds));
  const time = 'Time since the start of the trial (s)';
  const common = { last, span };
  const panels: Panel[] = [];
  if (bytes.length > 0) {
    const timeTitle = entries.length > 0 ? null : time; // under the lower panel only
    const title = `Memory (${unit.name})`;
    panels.push(memoryPanel(shown, bytes, { ...common, unit, title, timeTitle, height: 215 }));
  }
  if (entries.length > 0) {
    const plain = { name: '', divisor: 1 };
    const title = 'Dedup entries (ids)';
    panels.push(memoryPanel(shown, entries, { ...common, unit: plain, title, timeTitle: time, height: 150 }));
  }
  return panels;
}

interface MemoryAxes {
  readonly unit: AxisUnit;
  readonly title: string;
  readonly last: number;
  readonly span: MeasuredSpan | null;
  readonly height: number;
  readonly timeTitle: string | null;
}

function memoryPanel(shown: readonly TargetSeries[], rows: readonly MemoryRow[], axes: MemoryAxes): Panel {
  const values = rows.map((row) => ({ ...row, value: row.value / axes.unit.divisor }));
  const shade = axes.span === null ? [] : [axes.span];
  return {
    title: null,
    height: axes.height,
    spec: {
      layer: [
        {
          data: { values: shade },
          mark: { type: 'rect', color: ink.shade },
          encoding: { x: { field: 'start', type: 'quantitative' }, x2: { field: 'end' } },
        },
        {
          data: { values },
          mark: { type: 'line', strokeWidth: 2 },
          encoding: {
            x: {
              field: 'seconds',
              type: 'quantitative',
              scale: { domain: [0, axes.last], nice: false },
              axis: { title: axes.timeTitle, tickCount: 6 },
            },
            y: {
              field: 'value',
              type: 'quantitative',
              axis: { title: axes.title, format: '~s', tickCount: 4 },
            },
            ...targetColour(shown),
            strokeDash: {
              field: 'series',
              type: 'nominal',
              scale: { domain: [...byteSeries, 'dedupEntries'], range: [...byteDashes, [1, 0]] },
              legend: null,
            },
          },
        },
      ],
    },
  };
}

interface MeasuredSpan {
  readonly start: number;
  readonly end: number;
}

// Trials of one plan share their phases; where they do not, no span is shaded.
function measuredSpan(runs: readonly Run[]): MeasuredSpan | null {
  const spans = runs.map((run) => run.phases.find((phase) => phase.name === 'measure'));
  const [first] = spans;
  if (
    first === undefined ||
    spans.some((span) => span?.startNs !== first.startNs || span.endNs !== first.endNs)
  ) {
    return null;
  }
  return { start: first.startNs / 1e9, end: first.endNs / 1e9 };
}

function trialsNote(chosen: readonly ChosenTrial[]): string {
  const settings = new Set(chosen.map(({ cell }) => settingOf(cell)));
  const [only] = settings;
  const trials = 'One trial for each target, the one that held the most ids';
  return settings.size === 1 && only !== undefined
    ? `${trials}: ${only}.`
    : `${trials}; rates and windows are in the table.`;
}

function settingOf(cell: CellSummary): string {
  const rate = parameterOf(cell, 'ratePerSecond');
  const window = parameterOf(cell, 'windowNs');
  return `workload ${cell.workload.name}, ${formatRate(rate)}, window ${formatDuration(window)}`;
}

function memoryTableRow(cell: CellSummary, run: Run, target: string): string[] {
  const first = run.memory.find((sample) => sample.residentBytes !== null)?.residentBytes ?? null;
  const peak = (name: SeriesName): number | null => {
    const values = run.memory.map((sample) => sample[name]).filter((value) => value !== null);
    return values.length === 0 ? null : Math.max(...values);
  };
  return [
    target,
    formatRate(parameterOf(cell, 'ratePerSecond')),
    formatDuration(parameterOf(cell, 'windowNs')),
    formatBytes(first),
    formatBytes(peak('residentBytes')),
    formatBytes(peak('liveHeapBytes')),
    formatCount(peak('dedupEntries')),
    formatBytes(peak('dedupBytes')),
    run.memory.length === 0 ? none : formatCount(run.memory.length),
  ];
}
