// Which parameters of the workloads the charts speak about. A workload without one of them is simply not on that chart.

import type { CellSummary } from '../../results/summary.ts';

const names = {
  ratePerSecond: 'rate',
  windowNs: 'window',
  horizonNs: 'retry-horizon',
  prefetch: 'prefetch',
  handlingNs: 'handling',
  ackWaitNs: 'ack-wait',
} as const;

export type ChartedParameter = keyof typeof names;

/** Value of the parameter in the cell: messages a second, nanoseconds, or a count; null where it has none, or 0. */
export function parameterOf(cell: CellSummary, name: ChartedParameter): number | null {
  const value = cell.workload.numbers[names[name]];
  return value === undefined || value === 0 ? null : value;
}

/** Window ÷ retry horizon: below 1, the last retries come after the window is over. */
export function windowOverHorizon(cell: CellSummary): number | null {
  return ratio(parameterOf(cell, 'windowNs'), parameterOf(cell, 'horizonNs'));
}

/** (Prefetch × handling time) ÷ AckWait: above 1, the last message of a pull is acked too late. */
export function pullOverAckWait(cell: CellSummary): number | null {
  const prefetch = parameterOf(cell, 'prefetch');
  const handlingNs = parameterOf(cell, 'handlingNs');
  if (prefetch === null || handlingNs === null) return null;
  return ratio(prefetch * handlingNs, parameterOf(cell, 'ackWaitNs'));
}

/** Distinct values, ascending. */
export function distinctValues(values: readonly (number | null)[]): number[] {
  return [...new Set(values.filter((value) => value !== null))].toSorted((left, right) => left - right);
}

function ratio(above: number | null, below: number | null): number | null {
  return above === null || below === null || below === 0 ? null : above / below;
}
