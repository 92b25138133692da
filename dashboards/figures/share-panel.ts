// A share with its binomial interval against a ratio whose turning point is 1.

import { groupBy } from '../../results/group-by.ts';
import { binomialInterval } from '../../results/stats/binomial.ts';
import { logDomain, logTicks, positiveRows } from './axes.ts';
import type { Panel } from './figure.ts';
import { intervalLayer, pointLayers, ruleAt, targetColour } from './layers.ts';
import type { TargetSeries } from './targets.ts';

export interface SharePoint {
  readonly target: string;
  readonly x: number;
  readonly count: number;
  readonly outOf: number;
  readonly isUsable: boolean;
}

export interface ShareTitles {
  readonly x: string;
  readonly y: string;
  /** Name of the line at 1. */
  readonly rule: string;
}

/** x logarithmic, y from zero; the line at 1 is always in the picture. */
export function sharePanel(
  series: readonly TargetSeries[],
  points: readonly SharePoint[],
  titles: ShareTitles,
): Panel {
  const rows = positiveRows(pooled(points), (point) => point.x).rows.map(shareRow);
  const domain = logDomain([...rows.map((row) => row.x), 0.8, 1.25], 1.2);
  const highest = Math.max(0.01, ...rows.map((row) => row.high));
  return {
    title: null,
    height: 250,
    spec: {
      data: { values: rows },
      encoding: {
        x: {
          field: 'x',
          type: 'quantitative',
          scale: { type: 'log', domain, nice: false },
          axis: { values: logTicks(...domain), format: '~r', title: titles.x },
        },
        y: {
          field: 'share',
          type: 'quantitative',
          scale: { domain: [0, highest * 1.05], nice: false },
          axis: { format: '~%', tickCount: 5, title: titles.y },
        },
      },
      layer: [
        ...ruleAt(1, titles.rule),
        { mark: { type: 'line', strokeWidth: 1.5, opacity: 0.6 }, encoding: targetColour(series) },
        intervalLayer(series, 'low', 'high'),
        ...pointLayers(series),
      ],
    },
  };
}

// Cells that differ in something else share a point, so that lines stay lines.
function pooled(points: readonly SharePoint[]): SharePoint[] {
  const groups = groupBy(points, (point) => JSON.stringify([point.target, Number(point.x.toPrecision(6))]));
  return [...groups.values()].map((group) => ({
    target: (group[0] as SharePoint).target,
    x: (group[0] as SharePoint).x,
    count: group.reduce((sum, point) => sum + point.count, 0),
    outOf: group.reduce((sum, point) => sum + point.outOf, 0),
    isUsable: group.some((point) => point.isUsable),
  }));
}

function shareRow(point: SharePoint): SharePoint & { share: number; low: number; high: number } {
  const interval = binomialInterval(point.count, point.outOf);
  const share = point.outOf === 0 ? 0 : point.count / point.outOf;
  return { ...point, share, low: interval?.low ?? share, high: interval?.high ?? share };
}
