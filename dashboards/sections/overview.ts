// Above the fold: the verdict, what it rests on, and one row for each target.

import { groupBy } from '../../results/group-by.ts';
import { describeFinding } from '../../results/findings.ts';
import { formatBytes, formatCount, formatDuration, formatRate, none, plural } from '../../results/format.ts';
import { quantiles } from '../../results/histogram.ts';
import type { Run } from '../../results/run.ts';
import type { CellSummary, Summary } from '../../results/summary.ts';
import type { Verdict } from '../../results/verdict.ts';
import { columns } from '../figures/figure.ts';
import { targetKey, targetSeries } from '../figures/targets.ts';
import { html, Markup, type Piece } from '../html.ts';
import { variableOf } from '../theme.ts';
import type { GeneratorHealth } from './generator-health.ts';
import { tableOf } from './table.ts';

type Tone = 'good' | 'bad' | 'mixed' | 'plain';

const verdictWords: Readonly<Record<Verdict, string>> = {
  valid: 'Valid',
  violation: 'Violation',
  invalid: 'Invalid',
  unknown: 'Unknown',
};

const verdictTones: Readonly<Record<Verdict, Tone>> = {
  valid: 'good',
  violation: 'bad',
  invalid: 'mixed',
  unknown: 'mixed',
};

const glyphs: Readonly<Record<Tone, string>> = {
  good: '<path d="M6.5 12.5l3.6 3.6 7.4-8"/>',
  bad: '<path d="M8 8l8 8M16 8l-8 8"/>',
  mixed: '<path d="M12 6.5v7M12 17.2v.1"/>',
  plain: '<path d="M12 11v6M12 7.2v.1"/>',
};

export function verdictSection(summary: Summary): Markup {
  const tone = verdictTones[summary.verdict];
  return html`<section class="verdict ${tone}" aria-label="Verdict">
    <p class="status">${glyph(tone)}${verdictWords[summary.verdict]}</p>
    <h1>${summary.headline}</h1>
    <p class="lead">${summary.detail}</p>
  </section>`;
}

/** A small word in its colour, with a sign that does not need it. */
export function verdictChip(verdict: Verdict): Markup {
  const tone = verdictTones[verdict];
  return html`<span class="chip ${tone}">${glyph(tone)}${verdictWords[verdict].toLowerCase()}</span>`;
}

export function badgesSection(summary: Summary, health: GeneratorHealth): Markup {
  const runs = summary.cells.flatMap((cell) => cell.runs);
  const healthTones = { good: 'good', mixed: 'mixed', bad: 'bad' } as const;
  return html`<section class="badges" aria-label="What the verdict rests on">
    ${correctnessBadge(runs)}
    ${badge(healthTones[health.state], 'Load generator', health.headline, health.detail)}
    ${badge('plain', 'Measured', scopeText(summary), sampleText(summary))} ${environmentBadge(runs)}
  </section>`;
}

function correctnessBadge(runs: readonly Run[]): Markup {
  const violations = runs
    .flatMap((run) => run.audit.findings)
    .filter((one) => one.severity === 'violation' && one.count > 0);
  const unknown = runs.filter((run) => run.audit.verdict === 'unknown').length;
  if (violations.length > 0) {
    const classes = [...groupBy(violations, (one) => one.class)];
    const texts = classes.map(([name, group]) =>
      describeFinding(
        name,
        group.reduce((sum, one) => sum + one.count, 0),
      ),
    );
    return badge('bad', 'Correctness', texts[0] ?? '', texts.slice(1).join('; ') || 'see the findings');
  }
  if (unknown > 0) {
    return badge(
      'mixed',
      'Correctness',
      `${unknown} of ${plural(runs.length, 'audit')} undecided`,
      'see the caveats',
    );
  }
  return badge(
    'good',
    'Correctness',
    '0 lost, 0 leaked',
    'nothing stored twice inside its window, order kept',
  );
}

function environmentBadge(runs: readonly Run[]): Markup {
  const ids = [...groupBy(runs, (run) => run.environment.id).values()];
  const [first] = runs;
  if (first === undefined) return badge('plain', 'Environment', none, '');
  const { environment } = first;
  if (ids.length > 1) {
    return badge(
      'mixed',
      'Environment',
      `${ids.length} different machines`,
      'their numbers must not be compared with each other',
    );
  }
  const machine = `${environment.cpuModel}, ${plural(environment.coreCount, 'core')}`;
  return badge('plain', 'Environment', environment.id.slice(0, 8), machine);
}

function scopeText(summary: Summary): string {
  const targets = new Set(summary.cells.map((cell) => targetKey(cell.target))).size;
  return `${plural(summary.cells.length, 'cell')} on ${plural(targets, 'target')}`;
}

function sampleText(summary: Summary): string {
  const messages = summary.cells.reduce((sum, cell) => sum + cell.counters.sent + cell.counters.delivered, 0);
  return `${plural(summary.trialCount, 'trial')}, ${formatCount(messages)} messages sent or delivered`;
}

function badge(tone: Tone, label: string, headline: string, detail: string): Markup {
  return html`<div class="badge ${tone}">
    <p class="label">${tone === 'plain' ? null : glyph(tone)}${label}</p>
    <p class="value">${headline}</p>
    <p class="detail">${detail}</p>
  </div> `;
}

function glyph(tone: Tone): Markup {
  return new Markup(
    `<svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/>${glyphs[tone]}</svg>`,
  );
}

/** One row for each target: how fast, how slow, what it lost and what it holds. */
export function targetsSection(summary: Summary): Markup {
  const runs = summary.cells.flatMap((cell) => cell.runs);
  const rows = targetSeries(runs).map((series) => {
    const cells = summary.cells.filter((cell) => targetKey(cell.target) === series.key);
    const name = html`<span class="key" style="--mark:${variableOf(series.colour)}"></span>${series.label}`;
    return [name, ...targetNumbers(cells)];
  });
  const titles = [
    'Target',
    '#Highest rate kept',
    '#Response p50 there',
    '#p99 there',
    '#Lost',
    '#Leaked in window',
    '#Leaked after window',
    '#Redelivered',
    '#Bytes an id',
    '#Trials',
  ];
  return html`<section id="targets">
    <h2>By target</h2>
    ${tableOf(columns(...titles), rows, 'Results by target')}
    <p class="note">
      Highest achieved rate of a usable cell, median over its trials; response time from all its messages. A
      dash: not measured, or too few samples.
    </p>
  </section>`;
}

function targetNumbers(cells: readonly CellSummary[]): Piece[] {
  const kept = cells.filter((cell) => cell.usableCount > 0 && cell.achievedPerSecond !== null);
  const [best] = kept.toSorted((left, right) => rateOf(right) - rateOf(left));
  const [p50, p99] = quantiles(best?.histograms.response ?? null, [0.5, 0.99]);
  const sum = (pick: (cell: CellSummary) => number): number =>
    cells.reduce((total, cell) => total + pick(cell), 0);
  return [
    formatRate(best?.achievedPerSecond?.median ?? null),
    formatDuration(p50 ?? null),
    formatDuration(p99 ?? null),
    formatCount(sum((cell) => cell.audit.lost)),
    formatCount(sum((cell) => cell.audit.leakedInWindow)),
    formatCount(sum((cell) => cell.audit.leakedAfterWindow)),
    formatCount(sum((cell) => cell.counters.redelivered)),
    formatBytes(bytesPerId(cells)),
    formatCount(sum((cell) => cell.runs.length)),
  ];
}

function rateOf(cell: CellSummary): number {
  return cell.achievedPerSecond?.median ?? 0;
}

// From the cell that held the most ids, where what is shared by all of them weighs least.
function bytesPerId(cells: readonly CellSummary[]): number | null {
  const known = cells.filter(
    (cell) => (cell.dedupEntriesMax?.median ?? 0) > 0 && cell.dedupBytesMax !== null,
  );
  const [fullest] = known.toSorted(
    (left, right) => (right.dedupEntriesMax?.median ?? 0) - (left.dedupEntriesMax?.median ?? 0),
  );
  if (fullest === undefined) return null;
  return (fullest.dedupBytesMax?.median ?? 0) / (fullest.dedupEntriesMax?.median ?? 1);
}
