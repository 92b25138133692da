// Durations as Go prints and reads them: in configurations, NAK delays, error texts.
import type { Nanos } from '../base/nanos.ts';

const unitNs: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);

const whole = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g;

/** Nanoseconds of a text such as `1m30s`, `-1.5h` or `0`; NaN when it is not a Go duration. */
export function parseGoDuration(text: string): Nanos {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!whole.test(text)) return Number.NaN;
  let sum = 0;
  for (const [, units = '', fraction = '', unit = ''] of text.matchAll(part)) {
    const lengthNs = unitNs.get(unit) ?? Number.NaN;
    // The quotient first: it is an integer for all digits that count, where a decimal number would be rounded.
    sum += Number(units) * lengthNs + Math.trunc(Number(fraction) * (lengthNs / 10 ** fraction.length));
  }
  return text.startsWith('-') && sum !== 0 ? -sum : sum;
}

/** As Go's `Duration.String`: `1m30s`, `2h0m0s`, `1.5s`, `500ms`, `0s`. */
export function formatGoDuration(durationNs: Nanos): string {
  if (durationNs < 0) return `-${formatGoDuration(-durationNs)}`;
  if (durationNs === 0) return '0s';
  if (durationNs < 1e3) return `${durationNs}ns`;
  if (durationNs < 1e6) return `${decimals(durationNs, 1e3)}µs`;
  if (durationNs < 1e9) return `${decimals(durationNs, 1e6)}ms`;
  const minutes = Math.floor(durationNs / 60e9);
  const seconds = `${decimals(durationNs - minutes * 60e9, 1e9)}s`;
  if (minutes === 0) return seconds;
  if (minutes < 60) return `${minutes}m${seconds}`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}

function decimals(valueNs: number, unit: number): string {
  const units = Math.floor(valueNs / unit);
  const rest = valueNs - units * unit;
  if (rest === 0) return String(units);
  const digitCount = String(unit).length - 1;
  return `${units}.${String(rest).padStart(digitCount, '0').replace(/0+$/, '')}`;
}
