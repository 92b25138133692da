import { type Figure } from '../figures/figure.ts';
import { chartKinds } from '../figures/registry.ts';
import type { Summary } from '../../results/summary.ts';
import { html, Markup } from '../html.ts';
import { drawPanel, panelWidths } from '../render.ts';
import type { GeneratorHealth } from './generator-health.ts';
import { legendMarkup } from './legend.ts';
import { tableMarkup } from './table.ts';

export interface ChartsSection {
  readonly markup: Markup;
  readonly figures: readonly Figure[];
}

/** Every chart that the results can fill, and one sentence for each that they cannot. */
export async function chartsSection(summary: Summary, health: GeneratorHealth): Promise<ChartsSection> {
  const figures = chartKinds.map((kind) => kind.draw(summary)).filter((figure) => figure !== null);
  const cards: Markup[] = [];
  for (const figure of figures) {
    cards.push(await figureCard(figure, figure.isLatency && health.state === 'bad'));
  }
  const markup = html`<section id="charts" aria-label="Charts">
    <h2 class="sr">Charts</h2>
    <div class="charts">${cards}</div>
    ${missingCharts(summary)}
  </section>`;
  return { markup, figures };
}

async function figureCard(figure: Figure, isGreyed: boolean): Promise<Markup> {
  const warning = isGreyed
    ? html`<p class="stamp">The generator was not fit to measure: do not use this chart.</p>`
    : null;
  return html`<figure class="card${isGreyed ? ' greyed' : ''}" id="${figure.id}">
    <figcaption>
      <h3>${figure.title}</h3>
      <p class="reading">${figure.reading}</p>
      ${warning}
    </figcaption>
    ${legendMarkup(figure.legend)}
    <div class="wide">${await drawPanels(figure, 'wide')}</div>
    <div class="compact">${await drawPanels(figure, 'compact')}</div>
    ${figure.notes.map((note) => html`<p class="note">${note}</p>`)}
    <details>
      <summary>The numbers as a table</summary>
      ${tableMarkup(figure.table, figure.title)}
    </details>
  </figure> `;
}

async function drawPanels(figure: Figure, size: keyof typeof panelWidths): Promise<Markup[]> {
  const panels: Markup[] = [];
  for (const [index, panel] of figure.panels.entries()) {
    const text = {
      id: `${figure.id}-${size}-${index}`,
      title: panel.title === null ? figure.title : `${figure.title}, ${panel.title}`,
      description: `${figure.reading} The numbers are in the table below.`,
    };
    const drawing = await drawPanel(panel, panelWidths[size], text);
    if (panel.title !== null) panels.push(html`<h4>${panel.title}</h4>`);
    panels.push(new Markup(drawing.svg));
  }
  return panels;
}

function missingCharts(summary: Summary): Markup | null {
  const missing = chartKinds.filter((kind) => kind.draw(summary) === null);
  if (missing.length === 0) return null;
  const items = missing.map(
    (kind) => html`<li><strong>${kind.name}</strong> ${kind.needs}: <code>${kind.command}</code></li>`,
  );
  return html`<div class="missing">
    <h3>Charts that these results cannot fill</h3>
    <ul>
      ${items}
    </ul>
  </div>`;
}
