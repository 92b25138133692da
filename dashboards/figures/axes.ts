// Axes in units that fit the data, with the unit in the title, and logarithms that leave out what they cannot show.

import { plural } from '../../results/format.ts';

/** A unit for all values of an axis. */
export interface AxisUnit {
  readonly name: string;
  readonly divisor: number;
}

export function durationUnit(valuesNs: readonly number[]): AxisUnit {
  const largest = Math.max(0, ...valuesNs);
  if (largest >= 120e9) return { name: 'min', divisor: 60e9 };
  if (largest >= 1e9) return { name: 's', divisor: 1e9 };
  return largest >= 1e6 ? { name: 'ms', divisor: 1e6 } : { name: 'µs', divisor: 1e3 };
}

export function byteUnit(bytes: readonly number[]): AxisUnit {
  const largest = Math.max(0, ...bytes);
  if (largest >= 1e9) return { name: 'GB', divisor: 1e9 };
  return largest >= 1e6 ? { name: 'MB', divisor: 1e6 } : { name: 'kB', divisor: 1e3 };
}

const tickSteps: readonly (readonly number[])[] = [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7]];

/** Round values from `min` to `max` for a logarithmic axis: whole decades where there are many, finer steps where not. */
export function logTicks(min: number, max: number): number[] {
  const decades = Math.log10(max / min);
  const usable = decades > 2.6 ? tickSteps : tickSteps.slice(1);
  const ticks = usable.map((steps) => ticksBetween(min, max, steps));
  return ticks.find((list) => list.length >= 3) ?? ticks[ticks.length - 1] ?? [];
}

/** The measured values themselves where they are few, so that every point stands on a label; else round ones. */
export function measuredTicks(values: readonly number[], domain: readonly [number, number]): number[] {
  const distinct = [...new Set(values.map((value) => Number(value.toPrecision(3))))];
  return distinct.length <= 8 ? distinct : logTicks(...domain);
}

function ticksBetween(min: number, max: number, steps: readonly number[]): number[] {
  const ticks: number[] = [];
  for (let decade = Math.floor(Math.log10(min)); decade <= Math.ceil(Math.log10(max)); decade += 1) {
    for (const step of steps) ticks.push(Number((step * 10 ** decade).toPrecision(6)));
  }
  return ticks.filter((tick) => tick >= min && tick <= max);
}

/** Bounds with air around the data, for a logarithmic axis. */
export function logDomain(values: readonly number[], air = 1.25): [number, number] {
  return [Math.min(...values) / air, Math.max(...values) * air];
}

export interface PositiveRows<Row> {
  readonly rows: Row[];
  /** Says how many were left out; null when none was. */
  readonly note: string | null;
}

/** Rows that a logarithmic axis can show (case C150). */
export function positiveRows<Row>(rows: readonly Row[], valueOf: (row: Row) => number): PositiveRows<Row> {
  const kept = rows.filter((row) => valueOf(row) > 0);
  const dropped = rows.length - kept.length;
  const note = `${plural(dropped, 'value')} of zero or less cannot be shown on a logarithmic axis; see the table.`;
  return { rows: kept, note: dropped === 0 ? null : note };
}
