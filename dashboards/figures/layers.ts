// Layers that several charts share.

import { ink } from '../theme.ts';
import type { PanelSpec } from './figure.ts';
import { type TargetSeries, targetScales } from './targets.ts';

type Layer = PanelSpec['layer'][number];
type Encoding = NonNullable<PanelSpec['encoding']>;

/** A line where a rule of thumb turns over, with its name; the chart's x is the field `x`. */
export function ruleAt(x: number, label: string): Layer[] {
  const data = { values: [{ x }] }; // one line and one label, not one for each row of the chart
  return [
    {
      data,
      mark: { type: 'rule', color: ink.text, strokeDash: [2, 3], strokeWidth: 1 },
      encoding: { y: { value: 0 }, y2: { value: 'height' } },
    },
    {
      data,
      mark: { type: 'text', text: label, align: 'left', dx: 6, baseline: 'top', color: ink.text },
      encoding: { y: { value: 0 } },
    },
  ];
}

/** Colour and shape by target; the legend is in the page. */
function byTarget(series: readonly TargetSeries[]): Pick<Encoding, 'color' | 'shape'> {
  const scales = targetScales(series);
  return {
    color: { field: 'target', type: 'nominal', scale: scales.colour, legend: null },
    shape: { field: 'target', type: 'nominal', scale: scales.shape, legend: null },
  };
}

/** Only the colour, for marks without a shape. */
export function targetColour(series: readonly TargetSeries[]): Pick<Encoding, 'color'> {
  return { color: { field: 'target', type: 'nominal', scale: targetScales(series).colour, legend: null } };
}

/** Interval bars from `low` to `high` at `x`. */
export function intervalLayer(series: readonly TargetSeries[], low: string, high: string): Layer {
  return {
    mark: { type: 'rule', strokeWidth: 1.5, opacity: 0.55 },
    encoding: { y: { field: low, type: 'quantitative' }, y2: { field: high }, ...targetColour(series) },
  };
}

/** Filled points; hollow where `isUsable` is false. */
export function pointLayers(series: readonly TargetSeries[]): Layer[] {
  const point = { type: 'point', size: 52, strokeWidth: 1.75, opacity: 1 } as const;
  return [
    {
      transform: [{ filter: 'datum.isUsable' }],
      mark: { ...point, filled: true, stroke: ink.surface, strokeWidth: 1 },
      encoding: byTarget(series),
    },
    {
      transform: [{ filter: '!datum.isUsable' }],
      mark: { ...point, filled: false, fill: ink.surface, opacity: 0.7 },
      encoding: byTarget(series),
    },
  ];
}
