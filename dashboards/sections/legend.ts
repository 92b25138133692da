import type { LegendEntry } from '../figures/figure.ts';
import { html, Markup } from '../html.ts';
import { heatInk, variableOf } from '../theme.ts';

/** A list of names with the marks that the drawing uses for them. */
export function legendMarkup(entries: readonly LegendEntry[]): Markup {
  if (entries.length === 0) return new Markup('');
  const items = entries.map((entry) => html`<li>${swatch(entry)}${entry.label}</li>`);
  return html`<ul class="legend">
    ${items}
  </ul>`;
}

const rampSteps = heatInk.map(
  (colour, index) => `<rect x="${index * 14}" width="14" height="12" style="fill:${variableOf(colour)}"/>`,
);

const shapes: Readonly<Record<LegendEntry['mark'], string>> = {
  line: '<path d="M1 6H19" stroke-width="2"/>',
  dashed: '<path d="M1 6H19" stroke-width="2" stroke-dasharray="5 3"/>',
  dotted: '<path d="M1 6H19" stroke-width="2" stroke-dasharray="2 3"/>',
  area: '<rect x="3" y="1" width="14" height="10" rx="2" class="fill"/>',
  ramp: rampSteps.join(''),
  hollow: '<circle cx="10" cy="6" r="3.6" stroke-width="1.75" fill="none"/>',
  circle: '<path d="M1 6H19" stroke-width="2"/><circle cx="10" cy="6" r="4" class="fill"/>',
  square: '<path d="M1 6H19" stroke-width="2"/><rect x="6.4" y="2.4" width="7.2" height="7.2" class="fill"/>',
  'triangle-up': '<path d="M1 6H19" stroke-width="2"/><path d="M10 1.4 14.6 9.6H5.4Z" class="fill"/>',
  diamond: '<path d="M1 6H19" stroke-width="2"/><path d="M10 1 14.4 6 10 11 5.6 6Z" class="fill"/>',
  'triangle-down': '<path d="M1 6H19" stroke-width="2"/><path d="M10 10.6 5.4 2.4h9.2Z" class="fill"/>',
  cross: '<path d="M1 6H19" stroke-width="2"/><path d="M10 1.5V10.5M5.5 6H14.5" stroke-width="3"/>',
};

function swatch(entry: LegendEntry): Markup {
  const style = `--mark:${variableOf(entry.colour)}`;
  return new Markup(
    `<svg class="swatch ${entry.mark}" viewBox="0 0 ${entry.mark === 'ramp' ? 98 : 20} 12" aria-hidden="true" style="${style}">${shapes[entry.mark]}</svg>`,
  );
}
