// How targets are named, ordered and told apart on every chart of a page.

import { compareVersions } from '../../results/format.ts';
import type { Run } from '../../results/run.ts';
import type { CellSummary } from '../../results/summary.ts';
import { ink, seriesInk, seriesShapes } from '../theme.ts';
import type { LegendEntry } from './figure.ts';

export interface TargetSeries {
  readonly key: string;
  /** Server, version and what it does with the disk, which belongs beside every figure. */
  readonly label: string;
  readonly colour: string;
  readonly shape: (typeof seriesShapes)[number];
}

/** Servers by name, releases as versions (case C155). */
export function targetSeries(runs: readonly Run[]): TargetSeries[] {
  const byKey = new Map(runs.map((run) => [targetKey(run.target), run.target]));
  const ordered = [...byKey].toSorted(([, left], [, right]) => compareTargets(left, right));
  const labels = distinctLabels(ordered.map(([, target]) => target));
  return ordered.map(([key], index) => ({
    key,
    label: labels[index] as string,
    colour: seriesInk[index % seriesInk.length] as string,
    shape: seriesShapes[index % seriesShapes.length] as TargetSeries['shape'],
  }));
}

export function targetKey(target: Run['target']): string {
  return JSON.stringify([
    target.spec,
    target.server,
    target.version,
    target.profile,
    target.storage,
    target.flags,
  ]);
}

export function labelOf(cell: CellSummary, series: readonly TargetSeries[]): string {
  return series.find((one) => one.key === targetKey(cell.target))?.label ?? cell.target.spec;
}

export function legendOf(series: readonly TargetSeries[]): LegendEntry[] {
  return series.map((one) => ({ label: one.label, colour: one.colour, mark: one.shape }));
}

/** Vega-lite scales that give each target its colour and shape, whatever subset a chart shows. */
export function targetScales(series: readonly TargetSeries[]): {
  readonly colour: { domain: string[]; range: string[] };
  readonly shape: { domain: string[]; range: string[] };
} {
  const domain = series.map((one) => one.label);
  return {
    colour: { domain, range: series.map((one) => one.colour) },
    shape: { domain, range: series.map((one) => one.shape) },
  };
}

/** Entry for marks of trials whose numbers must not be used. */
export const unusableEntry: LegendEntry = {
  label: 'not to be used (see caveats)',
  colour: ink.muted,
  mark: 'hollow',
};

function compareTargets(left: Run['target'], right: Run['target']): number {
  return (
    left.server.localeCompare(right.server) ||
    compareVersions(left.version, right.version) ||
    (left.profile ?? '').localeCompare(right.profile ?? '') ||
    left.storage.localeCompare(right.storage) ||
    left.spec.localeCompare(right.spec)
  );
}

function distinctLabels(targets: readonly Run['target'][]): string[] {
  const short = targets.map(shortLabel);
  return targets.map((target, index) => {
    const label = short[index] as string;
    return short.filter((one) => one === label).length === 1 ? label : `${label} (${target.spec})`;
  });
}

function shortLabel(target: Run['target']): string {
  const profile = target.profile === null ? '' : ` ${target.profile}`;
  return `${target.server} ${target.version}${profile}, ${target.storage}`;
}
