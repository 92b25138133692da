import { formatBinaryBytes, formatDuration, formatNumber, none, plural } from '../../results/format.ts';
import { groupBy } from '../../results/group-by.ts';
import type { Run } from '../../results/run.ts';
import type { Thinning } from '../embedded-data.ts';
import type { Figure } from '../figures/figure.ts';
import { html, type Markup, type Piece } from '../html.ts';

const thinningNotes: Readonly<Record<Thinning, string>> = {
  none: 'complete: this page can be made again from itself',
  'measured-phases': 'without the histograms of warm-up and drain; the results file has them',
  'two-digits': 'histograms of the measured phase at two significant digits; the results file has all three',
};

/** All that is needed to do it again, one card for each run. */
export function runCardSection(runs: readonly Run[], thinning: Thinning): Markup {
  const cards = [...groupBy(runs, (run) => run.runId).values()].map((group) => runCard(group, thinning));
  return html`<section id="run">
    <h2>How it was measured</h2>
    ${cards}
  </section>`;
}

function runCard(runs: readonly Run[], thinning: Thinning): Markup {
  const [first] = runs as readonly [Run, ...Run[]];
  const { environment } = first;
  const targets = [...groupBy(runs, (run) => JSON.stringify(run.target)).values()].map(([run]) =>
    targetItem(run as Run),
  );
  const partial = runs.filter((run) => run.partial).length;
  return html`<div class="runcard">
    <p class="label">To do it again</p>
    <pre tabindex="0"><code>${commandLine(first.command)}</code></pre>
    <dl>
      ${entry('Run', `${first.runId}${partial === 0 ? '' : ` (interrupted: ${plural(partial, 'trial')} partial)`}`)}
      ${entry('Started', `${first.startedAt}, ${plural(runs.length, 'trial')}, ${formatDuration(runs.reduce((sum, run) => sum + run.durationNs, 0))} in trials`)}
      ${entry('Seed', seedsText(runs))}
      ${entry('Tool', `${first.tool.name} ${first.tool.version}, record schema ${first.schema}, client ${clientsText(runs)}`)}
      ${entry(
        'Targets',
        html`<ul>
          ${targets}
        </ul>`,
      )}
      ${entry('Machine', `${environment.cpuModel}, ${plural(environment.coreCount, 'core')}, ${formatBinaryBytes(environment.memoryBytes)}`)}
      ${entry('System', `${environment.platform}, kernel ${environment.kernel}, Node ${environment.nodeVersion}, governor ${environment.governor ?? none}`)}
      ${entry('Environment id', environment.id)}
      ${entry('Build', `${environment.build}, commit ${environment.gitCommit ?? none}`)}
      ${entry('Load before', `${formatNumber(environment.loadAverage)} (load average)`)}
      ${entry('Data in this page', thinningNotes[thinning])}
    </dl>
  </div> `;
}

function targetItem(run: Run): Markup {
  const { target } = run;
  const profile = target.profile === null ? '' : `, profile ${target.profile}`;
  const flags = target.flags.length === 0 ? '' : `, flags ${target.flags.join(' ')}`;
  return html`<li>
    ${target.server} ${target.version}${profile}: storage ${target.storage}${flags}
    <span class="where">${target.spec}</span>
  </li>`;
}

function entry(term: string, value: Piece): Markup {
  return html`<div>
    <dt>${term}</dt>
    <dd>${value}</dd>
  </div> `;
}

function seedsText(runs: readonly Run[]): string {
  const seeds = new Set(runs.map((run) => run.seed));
  const [first = none] = seeds;
  return seeds.size < 2 ? first : `${first} for the first trial, one for each of the others`;
}

function clientsText(runs: readonly Run[]): string {
  return [...new Set(runs.map((run) => `${run.client} (${plural(run.workerCount, 'worker')})`))].join(', ');
}

/** The command as a shell takes it. */
function commandLine(command: readonly string[]): string {
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}

/** One line of words for each chart that is shown. */
export function glossarySection(figures: readonly Figure[]): Markup {
  const entries = figures.map((figure) => entry(figure.title.split(':')[0] as string, figure.glossary));
  return html`<section id="glossary">
    <h2>Words</h2>
    <dl>${entries}</dl>
  </section>`;
}
