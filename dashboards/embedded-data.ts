// The records behind a page travel in it, once, so that the page can be made again from itself. A page stays small enough
// to mail: histograms that no chart reads, and then their third digit, give way when there is too much.

import { gunzipSync, gzipSync } from 'node:zlib';
import { coarsenHistogram } from '../results/histogram.ts';
import type { Histogram, Phase, Run } from '../results/run.ts';
import { parseRuns, type StoredRuns } from '../results/store.ts';
import { Markup } from './html.ts';

const elementId = 'oncemark-data';
const encoding = 'gzip+base64';

/** Characters that the data of a page may take before they are thinned. */
const textLengthMax = 240_000;

export type Thinning = 'none' | 'measured-phases' | 'two-digits';

export interface EmbeddedData {
  readonly markup: Markup;
  /** What was given up, named in the run card. */
  readonly thinning: Thinning;
}

/** A script element that no browser runs. */
export function embedRuns(runs: readonly Run[]): EmbeddedData {
  const steps: readonly (readonly [Thinning, (run: Run) => Run])[] = [
    ['none', (run) => run],
    ['measured-phases', (run) => withHistograms(run, keepMeasured)],
    ['two-digits', (run) => withHistograms(run, coarsenMeasured)],
  ];
  let embedded = { text: '', thinning: 'none' as Thinning };
  for (const [thinning, thin] of steps) {
    embedded = { text: pack(runs.map(thin)), thinning };
    if (embedded.text.length <= textLengthMax) break;
  }
  const json = JSON.stringify({ encoding, lines: embedded.text }).replaceAll('<', '\\u003c');
  const markup = new Markup(`<script type="application/json" id="${elementId}">${json}</script>`);
  return { markup, thinning: embedded.thinning };
}

/** The records of a page; problems where it has none, or broken ones. */
export function extractRuns(page: string, source: string): StoredRuns {
  const match = new RegExp(`<script type="application/json" id="${elementId}">([^<]*)</script>`).exec(page);
  if (match === null) return { runs: [], problems: [`${source}: holds no data of an oncemark report`] };
  try {
    const data = JSON.parse(match[1] as string) as { encoding?: unknown; lines?: unknown };
    if (data.encoding !== encoding || typeof data.lines !== 'string') {
      throw new Error(`encoding is not ${encoding}`);
    }
    return parseRuns(gunzipSync(Buffer.from(data.lines, 'base64')).toString('utf8'), source);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { runs: [], problems: [`${source}: its data cannot be read: ${why}`] };
  }
}

function pack(runs: readonly Run[]): string {
  const lines = runs.map((run) => `${JSON.stringify(run)}\n`).join('');
  return gzipSync(lines, { level: 9 }).toString('base64');
}

type HistogramName = keyof Phase['histograms'];
type Rewrite = (histogram: Histogram | null, phase: Phase, name: HistogramName) => Histogram | null;

function withHistograms(run: Run, rewrite: Rewrite): Run {
  return {
    ...run,
    phases: run.phases.map((phase) => {
      const histograms = { ...phase.histograms };
      for (const name of Object.keys(histograms) as HistogramName[]) {
        histograms[name] = rewrite(histograms[name], phase, name);
      }
      return { ...phase, histograms };
    }),
  };
}

function keepMeasured(histogram: Histogram | null, phase: Phase): Histogram | null {
  return phase.name === 'measure' ? histogram : null;
}

function coarsenMeasured(histogram: Histogram | null, phase: Phase): Histogram | null {
  const kept = keepMeasured(histogram, phase);
  return kept === null ? null : coarsenHistogram(kept, 2);
}
