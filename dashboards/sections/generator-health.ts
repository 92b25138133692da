// Whether the pictures show the target or the generator.

import { formatDuration, formatPercent, plural } from '../../results/format.ts';
import { mergeHistograms, quantile } from '../../results/histogram.ts';
import type { Run } from '../../results/run.ts';
import type { Summary } from '../../results/summary.ts';

export interface GeneratorHealth {
  /** 'bad' greys every latency chart; 'mixed' leaves single trials out of them. */
  readonly state: 'good' | 'mixed' | 'bad';
  readonly headline: string;
  readonly detail: string;
}

const generatorKinds: readonly string[] = ['generator-saturated', 'lateness-high', 'send-before-start'];

/** 'bad' when half of the trials or more were spoilt by the generator itself. */
export function generatorHealth(summary: Summary): GeneratorHealth {
  const runs = summary.cells.flatMap((cell) => cell.runs);
  const spoilt = runs.filter(isSpoilt).length;
  const detail = [latenessText(summary), cpuText(runs)].filter((part) => part !== '').join(', ');
  if (spoilt === 0) return { state: 'good', headline: `Kept up in ${plural(runs.length, 'trial')}`, detail };
  return {
    state: spoilt * 2 >= runs.length ? 'bad' : 'mixed',
    headline: `Fell behind in ${spoilt} of ${plural(runs.length, 'trial')}`,
    detail,
  };
}

function isSpoilt(run: Run): boolean {
  const hasCaveat = run.caveats.some(
    (one) => one.severity === 'invalid' && generatorKinds.includes(one.kind),
  );
  return hasCaveat || !run.generator.keptUp;
}

function latenessText(summary: Summary): string {
  const known = summary.cells
    .map((cell) => cell.histograms.lateness)
    .filter((histogram) => histogram !== null);
  const p99 = quantile(mergeHistograms(known), 0.99);
  return p99 === null ? '' : `sends ${formatDuration(p99)} late at p99`;
}

function cpuText(runs: readonly Run[]): string {
  const shares = runs.map((run) => run.generator.cpuFraction).filter((share) => share !== null);
  return shares.length === 0 ? '' : `up to ${formatPercent(Math.max(...shares))} of a core`;
}
