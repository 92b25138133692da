// The report: one HTML file that needs no script, no network and no other file.

import type { Run } from '../results/run.ts';
import { summarise } from '../results/summary.ts';
import { embedRuns, extractRuns } from './embedded-data.ts';
import { html, Markup } from './html.ts';
import { caveatsSection, findingsSection } from './sections/account.ts';
import { cellsSection } from './sections/cells.ts';
import { chartsSection } from './sections/charts.ts';
import { generatorHealth } from './sections/generator-health.ts';
import { badgesSection, targetsSection, verdictSection } from './sections/overview.ts';
import { glossarySection, runCardSection } from './sections/run-card.ts';
import { style } from './style.ts';

export interface ReportOptions {
  readonly title?: string;
  /** RFC 3339; the page is a function of this and the runs. */
  readonly generatedAt: string;
}

// Nothing is fetched and nothing runs; styles are inline because the page is one file.
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'";

/** The page. An empty list gives a page that says that nothing was measured. */
export async function renderReport(runs: readonly Run[], options: ReportOptions): Promise<string> {
  const summary = summarise(runs);
  const health = generatorHealth(summary);
  const charts = await chartsSection(summary, health);
  const data = embedRuns(runs);
  const title = options.title ?? 'Exactly-once capacity report';
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${contentPolicy}" />
        <meta name="color-scheme" content="light dark" />
        <meta name="generator" content="oncemark" />
        <title>${title}: ${summary.verdict}</title>
        <style>
          ${new Markup(style)}
        </style>
      </head>
      <body>
        <a class="skip" href="#main">To the results</a>
        <header>
          <p class="brand">oncemark</p>
          <p class="title">${title}</p>
          <p class="date"><time datetime="${options.generatedAt}">${dateText(options.generatedAt)}</time></p>
        </header>
        <main id="main">
          ${verdictSection(summary)} ${badgesSection(summary, health)} ${contents()}
          ${targetsSection(summary)} ${charts.markup} ${findingsSection(runs)} ${caveatsSection(runs)}
          ${cellsSection(summary)} ${runCardSection(runs, data.thinning)} ${glossarySection(charts.figures)}
        </main>
        <footer>
          <p>
            Made by oncemark from ${runs.length} records. <code>oncemark report</code> makes it again from the
            results file or from this page.
          </p>
        </footer>
        ${data.markup}
      </body>
    </html> `;
  return page.text;
}

/** The records behind a page, for `report` to make it again. Throws an Error that says why when it holds none. */
export function runsFromReport(page: string): Run[] {
  const { runs, problems } = extractRuns(page, 'report');
  if (runs.length === 0 && problems.length > 0) throw new Error(problems.join('; '));
  return runs;
}

function contents(): Markup {
  const links = [
    ['targets', 'By target'],
    ['charts', 'Charts'],
    ['findings', 'Findings'],
    ['caveats', 'Caveats'],
    ['cells', 'Every cell'],
    ['run', 'How it was measured'],
    ['glossary', 'Words'],
  ] as const;
  return html`<nav aria-label="Contents">
    <ul>
      ${links.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}
    </ul>
  </nav>`;
}

function dateText(generatedAt: string): string {
  return `${generatedAt.slice(0, 16).replace('T', ' ')} UTC`;
}
