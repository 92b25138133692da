// Colours of the charts. A spec names stand-ins; the drawn SVG refers to the page's variables instead, so that one
// drawing serves light, dark and paper.

import type { Config } from 'vega-lite';

/** Stand-ins for ink that is not data. */
export const ink = {
  text: '#010101',
  muted: '#010102',
  grid: '#010103',
  rule: '#010104',
  surface: '#010105',
  shade: '#010106',
  heatLow: '#010107',
  heatHigh: '#010108',
} as const;

/** One for each series, told apart without colour by shape and dash too. */
export const seriesInk = ['#020201', '#020202', '#020203', '#020204', '#020205', '#020206'] as const;
export const seriesShapes = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross'] as const;

/** Low to high. */
export const heatInk = ['#030301', '#030302', '#030303', '#030304', '#030305', '#030306', '#030307'] as const;

const variables: readonly (readonly [string, string])[] = [
  [ink.text, '--ink'],
  [ink.muted, '--ink-muted'],
  [ink.grid, '--grid'],
  [ink.rule, '--rule'],
  [ink.surface, '--surface'],
  [ink.shade, '--shade'],
  [ink.heatLow, '--heat-ink-low'],
  [ink.heatHigh, '--heat-ink-high'],
  ...seriesInk.map((colour, index) => [colour, `--series-${index + 1}`] as const),
  ...heatInk.map((colour, index) => [colour, `--heat-${index + 1}`] as const),
];

/** The page's variable of a stand-in. */
export function variableOf(colour: string): string {
  return `var(${variables.find(([standIn]) => standIn === colour)?.[1] ?? '--ink'})`;
}

/** Replaces every stand-in of a drawing. */
export function withVariables(svg: string): string {
  return svg.replace(/"(#0[123]0[123]0\d)"/g, (_, colour: string) => `"${variableOf(colour)}"`);
}

export const chartConfig: Config = {
  background: 'transparent',
  padding: 0,
  font: 'sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: ink.muted,
    labelFontSize: 11,
    titleColor: ink.muted,
    titleFontSize: 11,
    titleFontWeight: 'normal',
    titlePadding: 8,
    domain: false,
    ticks: false,
    labelPadding: 6,
    gridColor: ink.grid,
    labelOverlap: 'greedy',
  },
  axisX: {
    grid: false,
    domain: true,
    domainColor: ink.rule,
    ticks: true,
    tickColor: ink.rule,
    tickSize: 4,
    labelPadding: 4,
  },
  axisY: {
    titleAngle: 0,
    titleAlign: 'left',
    titleAnchor: 'end',
    titleX: -34,
    titleY: -12,
    titleBaseline: 'bottom',
    minExtent: 40,
  },
  text: { color: ink.muted, fontSize: 10.5 },
};
