// What was found wrong, and what to read with care.

import { describeFinding } from '../../results/findings.ts';
import { formatCount, plural } from '../../results/format.ts';
import { groupBy } from '../../results/group-by.ts';
import type { Caveat, Finding, Run } from '../../results/run.ts';
import { html, type Markup } from '../html.ts';

const examplesShown = 3;

const severities = {
  violation: { rank: 0, tone: 'bad', word: 'violation' },
  configuration: { rank: 1, tone: 'mixed', word: 'configuration' },
  information: { rank: 2, tone: 'plain', word: 'information' },
} as const;

/** Findings of all audits, the worst first, each with examples. */
export function findingsSection(runs: readonly Run[]): Markup {
  const found = runs.flatMap((run) =>
    run.audit.findings.filter((one) => one.count > 0).map((finding) => ({ finding, run })),
  );
  const groups = [...groupBy(found, ({ finding }) => finding.class).values()];
  const ordered = groups.toSorted((left, right) => rankOf(left) - rankOf(right));
  const body =
    ordered.length === 0
      ? html`<p>Nothing: no message was lost, stored twice, reordered or refused.</p>`
      : html`<ul class="account">
          ${ordered.map(findingItem)}
        </ul>`;
  return html`<section id="findings">
    <h2>Findings</h2>
    ${body}
  </section>`;
}

interface FoundIn {
  readonly finding: Finding;
  readonly run: Run;
}

function rankOf(group: readonly FoundIn[]): number {
  return Math.min(...group.map(({ finding }) => severities[finding.severity].rank));
}

function findingItem(group: readonly FoundIn[]): Markup {
  const [{ finding }] = group as readonly [FoundIn];
  const count = group.reduce((sum, one) => sum + one.finding.count, 0);
  const { tone, word } = severities[finding.severity];
  const examples = group.flatMap((one) => one.finding.examples.map((text) => exampleItem(text, one.run)));
  const more = examples.slice(examplesShown, 32);
  const rest =
    more.length === 0
      ? null
      : html`<details>
          <summary>${plural(more.length, 'more example')}</summary>
          <ul>
            ${more}
          </ul>
        </details>`;
  return html`<li>
    <p>
      <span class="chip ${tone}">${word}</span> <strong>${describeFinding(finding.class, count)}</strong> in
      ${plural(group.length, 'trial')}
    </p>
    <ul class="examples">
      ${examples.slice(0, examplesShown)}
    </ul>
    ${rest}
  </li>`;
}

function exampleItem(text: string, run: Run): Markup {
  return html`<li>
    ${text}
    <span class="where"
      >${run.target.server} ${run.target.version}, ${run.workload.name}, trial ${run.trial}</span
    >
  </li>`;
}

/** Caveats of all trials, the invalidating first; each message once. */
export function caveatsSection(runs: readonly Run[]): Markup {
  const all = runs.flatMap((run) => run.caveats.map((caveat) => ({ caveat, run })));
  const groups = [...groupBy(all, ({ caveat }) => `${caveat.severity} ${caveat.kind}`).values()];
  const ordered = groups.toSorted(
    (left, right) => severityRank(left[0]?.caveat) - severityRank(right[0]?.caveat),
  );
  const body =
    ordered.length === 0
      ? html`<p>None: nothing about these trials needs to be read with care.</p>`
      : html`<ul class="account">
          ${ordered.map((group) => caveatItem(group, runs.length))}
        </ul>`;
  return html`<section id="caveats">
    <h2>Caveats</h2>
    ${body}
  </section>`;
}

function severityRank(caveat: Caveat | undefined): number {
  return caveat?.severity === 'invalid' ? 0 : 1;
}

interface SeenIn {
  readonly caveat: Caveat;
  readonly run: Run;
}

function caveatItem(group: readonly SeenIn[], runCount: number): Markup {
  const messages = [...groupBy(group, ({ caveat }) => caveat.message)];
  const [{ caveat }] = group as readonly [SeenIn];
  const tone = caveat.severity === 'invalid' ? 'bad' : 'mixed';
  const items = messages.map(
    ([message, same]) =>
      html`<li>${message} <span class="where">${whereText(same.map(({ run }) => run))}</span></li>`,
  );
  const more = items.slice(examplesShown);
  const rest =
    more.length === 0
      ? null
      : html`<details>
          <summary>${formatCount(more.length)} more</summary>
          <ul>
            ${more}
          </ul>
        </details>`;
  const word = caveat.severity === 'invalid' ? 'not to be used' : 'with care';
  return html`<li>
    <p>
      <span class="chip ${tone}">${word}</span> <strong>${caveat.kind.replaceAll('-', ' ')}</strong> in
      ${formatCount(group.length)} of ${plural(runCount, 'trial')}
    </p>
    <ul class="examples">
      ${items.slice(0, examplesShown)}
    </ul>
    ${rest}
  </li>`;
}

function whereText(runs: readonly Run[]): string {
  const targets = [...new Set(runs.map((run) => `${run.target.server} ${run.target.version}`))];
  const numbers = runs.map((run) => run.trial);
  const trials = numbers.length > 4 ? plural(numbers.length, 'trial') : `trial ${numbers.join(', ')}`;
  return `${targets.join(', ')}; ${trials}`;
}
