// From a chart's description to an SVG that needs nothing: no script, no canvas, no font, no fixed colour.

import { type LoggerInterface, parse, View, Warn } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Panel } from './figures/figure.ts';
import { escapeHtml } from './html.ts';
import { chartConfig, withVariables } from './theme.ts';

/** Pixels at which a panel is laid out; the page scales it to its column. */
export const panelWidths = { wide: 520, compact: 330 } as const;

export interface Drawing {
  readonly svg: string;
  /** What vega had to say: empty for a sound description. */
  readonly warnings: readonly string[];
}

export interface DrawingText {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** One panel as SVG markup with role, title and description. */
export async function drawPanel(panel: Panel, width: number, text: DrawingText): Promise<Drawing> {
  const warnings: string[] = [];
  const logger = collectWarnings(warnings);
  const spec: TopLevelSpec = {
    ...panel.spec,
    width,
    height: panel.height,
    autosize: { type: 'fit', contains: 'padding' },
  } as TopLevelSpec;
  const compiled = compile(spec, { config: chartConfig, logger });
  const view = new View(parse(compiled.spec), { renderer: 'none', logger });
  try {
    return { svg: tidy(await view.toSVG(), text), warnings };
  } finally {
    view.finalize();
  }
}

function tidy(svg: string, text: DrawingText): string {
  const titleId = `${text.id}-title`;
  const descriptionId = `${text.id}-desc`;
  const body = svg
    .replace(/^.*?<svg[^>]*?viewBox="([^"]*)"[^>]*>/s, (_, box: string) => {
      const label = `role="img" aria-labelledby="${titleId} ${descriptionId}"`;
      const title = `<title id="${titleId}">${escapeHtml(text.title)}</title>`;
      return `<svg viewBox="${box}" ${label}>${title}<desc id="${descriptionId}">${escapeHtml(text.description)}</desc>`;
    })
    .replace(/<(?!svg|title|desc)[a-z]+ [^>]*>/g, tidyTag);
  return withVariables(dropEmptyGroups(body));
}

// Vega writes names for screen readers on every mark; here the whole drawing has one, and a table behind it.
function tidyTag(tag: string): string {
  return tag
    .replace(/ (?:aria-[a-z]+|role|class|font-family|pointer-events|stroke-miterlimit)="[^"]*"/g, '')
    .replace(/-?\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10));
}

function dropEmptyGroups(svg: string): string {
  let before = svg;
  let after = dropOnce(before);
  while (after !== before) {
    before = after;
    after = dropOnce(before);
  }
  return after;
}

function dropOnce(svg: string): string {
  return svg.replace(
    /<g[^>]*><\/g>|<path[^>]*d="M0,0[^"]*"[^>]*fill="none"[^>]*stroke="none"[^>]*><\/path>/g,
    '',
  );
}

function collectWarnings(warnings: string[]): LoggerInterface {
  const keep = (...parts: readonly unknown[]): LoggerInterface => {
    warnings.push(parts.map(String).join(' '));
    return logger;
  };
  const ignore = (): LoggerInterface => logger;
  const level = ((value?: number) => (value === undefined ? Warn : logger)) as LoggerInterface['level'];
  const logger: LoggerInterface = { level, error: keep, warn: keep, info: ignore, debug: ignore };
  return logger;
}
