// What a chart is before it is drawn: a description, the sentence that explains it, and the table behind it.

import type { TopLevelSpec } from 'vega-lite';
import type { seriesShapes } from '../theme.ts';

export interface Figure {
  /** Unique on the page; also its anchor. */
  readonly id: string;
  readonly title: string;
  /** How to read it, in one sentence. */
  readonly reading: string;
  /** What the words mean, in one line for the glossary. */
  readonly glossary: string;
  /** Drawn one under the other. */
  readonly panels: readonly Panel[];
  readonly legend: readonly LegendEntry[];
  /** How many measurements stand behind a mark and what the bars mean; then what was left out, and why. */
  readonly notes: readonly string[];
  readonly table: Table;
  /** Greyed when the generator was not fit to measure. */
  readonly isLatency: boolean;
}

export interface Panel {
  readonly title: string | null;
  readonly height: number;
  readonly spec: PanelSpec;
}

/** Layers over one another; width and height come from the renderer. */
export type PanelSpec = Omit<Extract<TopLevelSpec, { layer: unknown }>, '$schema' | 'width' | 'height'>;

export interface LegendEntry {
  readonly label: string;
  /** Stand-in colour of theme.ts. */
  readonly colour: string;
  readonly mark: 'line' | 'dashed' | 'dotted' | 'area' | 'hollow' | 'ramp' | (typeof seriesShapes)[number];
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export interface Column {
  readonly title: string;
  readonly isNumber: boolean;
}

/** Columns from titles; those written `#title` hold numbers and stand to the right. */
export function columns(...titles: readonly string[]): Column[] {
  return titles.map((title) =>
    title.startsWith('#') ? { title: title.slice(1), isNumber: true } : { title, isNumber: false },
  );
}
