import { formatBytes, formatCount, formatDuration, formatRate, none, plural } from '../../results/format.ts';
import { groupBy } from '../../results/group-by.ts';
import { quantile } from '../../results/histogram.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import { columns } from '../figures/figure.ts';
import { labelOf, targetKey, type TargetSeries, targetSeries } from '../figures/targets.ts';
import { html, Markup, type Piece } from '../html.ts';
import { variableOf } from '../theme.ts';
import { verdictChip } from './overview.ts';
import { tableOf } from './table.ts';

/** With more cells, the tables are closed at first. */
const cellsShownMax = 30;

/** Every cell, one table for each workload, with what was swept as columns. */
export function cellsSection(summary: Summary): Markup {
  const series = targetSeries(summary.cells.flatMap((cell) => cell.runs));
  const groups = [...groupBy(summary.cells, (cell) => cell.workload.name)];
  const isShort = summary.cells.length <= cellsShownMax;
  const tables = groups.map(([workload, cells]) => workloadTable(workload, cells, series, isShort));
  return html`<section id="cells">
    <h2>Every cell</h2>
    <p class="note">
      Repeats of a cell are merged: samples are added, rates are medians with their lowest and highest trial.
      p99 needs 1 000 messages, p99.9 needs 10 000.
    </p>
    ${tables}
  </section>`;
}

function workloadTable(
  workload: string,
  cells: readonly CellSummary[],
  series: readonly TargetSeries[],
  isOpen: boolean,
): Markup {
  const swept = [...new Set(cells.flatMap((cell) => cell.workload.swept))];
  const order = series.map((one) => one.label);
  const sorted = cells.toSorted(
    (left, right) =>
      compareSwept(left, right, swept) ||
      order.indexOf(labelOf(left, series)) - order.indexOf(labelOf(right, series)),
  );
  const shown = cellColumns(swept, series).filter((column) => cells.some(column.isKnown));
  const rows = sorted.map((cell) => shown.map((column) => column.show(cell)));
  const table = tableOf(
    columns(...shown.map((column) => column.title)),
    rows,
    `Cells of the workload ${workload}`,
  );
  return html`<details class="cells" ${isOpen ? new Markup('open') : null}>
    <summary>
      <h3>${workload}</h3>
      <span class="where">${plural(cells.length, 'cell')}</span>
    </summary>
    ${table}
  </details>`;
}

interface CellColumn {
  readonly title: string;
  readonly show: (cell: CellSummary) => Piece;
  /** A column that no cell of the workload knows is left out. */
  readonly isKnown: (cell: CellSummary) => boolean;
}

function cellColumns(swept: readonly string[], series: readonly TargetSeries[]): CellColumn[] {
  const always: CellColumn['isKnown'] = () => true;
  const count = (title: string, pick: (cell: CellSummary) => number, isKnown = always): CellColumn => ({
    title,
    show: (cell) => formatCount(pick(cell)),
    isKnown,
  });
  const quantileColumn = (title: string, fraction: number): CellColumn => ({
    title,
    show: (cell) => formatDuration(quantile(cell.histograms.response, fraction)),
    isKnown: (cell) => quantile(cell.histograms.response, fraction) !== null,
  });
  return [
    { title: 'Target', show: (cell) => targetName(cell, series), isKnown: always },
    ...swept.map((name) => ({
      title: `#${name}`,
      show: (cell: CellSummary) => cell.workload.parameters[name] ?? none,
      isKnown: always,
    })),
    { title: '#Trials', show: trialsText, isKnown: always },
    {
      title: '#Achieved',
      show: (cell) => formatRate(cell.achievedPerSecond?.median ?? null),
      isKnown: (cell) => cell.achievedPerSecond !== null,
    },
    { title: '#min–max', show: rangeText, isKnown: (cell) => (cell.achievedPerSecond?.count ?? 0) > 1 },
    quantileColumn('#Response p50', 0.5),
    quantileColumn('#p99', 0.99),
    quantileColumn('#p99.9', 0.999),
    count('#Lost', (cell) => cell.audit.lost),
    count('#Leaked in window', (cell) => cell.audit.leakedInWindow),
    count('#after it', (cell) => cell.audit.leakedAfterWindow),
    count(
      '#Redelivered',
      (cell) => cell.counters.redelivered,
      (cell) => cell.counters.delivered > 0,
    ),
    count(
      '#Resends refused',
      (cell) => cell.audit.refusedResends,
      (cell) => cell.audit.refusedResends > 0,
    ),
    {
      title: '#Resident peak',
      show: (cell) => formatBytes(cell.residentBytesMax?.median ?? null),
      isKnown: (cell) => cell.residentBytesMax !== null,
    },
    { title: 'Verdict', show: (cell) => verdictChip(cell.verdict), isKnown: always },
  ];
}

function targetName(cell: CellSummary, series: readonly TargetSeries[]): Markup {
  const own = series.find((one) => one.key === targetKey(cell.target));
  return html`<span class="key" style="--mark:${variableOf(own?.colour ?? '')}"></span
    >${labelOf(cell, series)}`;
}

function trialsText(cell: CellSummary): string {
  if (cell.usableCount === cell.runs.length) return String(cell.runs.length);
  return `${cell.usableCount} of ${cell.runs.length}`;
}

function rangeText(cell: CellSummary): string {
  const { achievedPerSecond: achieved } = cell;
  if (achieved === null || achieved.count < 2) return none;
  return `${formatRate(achieved.min)} – ${formatRate(achieved.max)}`;
}

function compareSwept(left: CellSummary, right: CellSummary, swept: readonly string[]): number {
  for (const name of swept) {
    const difference = (left.workload.numbers[name] ?? 0) - (right.workload.numbers[name] ?? 0);
    if (difference !== 0) return difference;
    const texts = (left.workload.parameters[name] ?? '').localeCompare(right.workload.parameters[name] ?? '');
    if (left.workload.numbers[name] === undefined && texts !== 0) return texts;
  }
  return 0;
}
