// What people write, and the value it stands for: quantities with their unit, both ways. A quantity that has a
// unit must be written with it, so that 20 never means 20 of the wrong thing.

import { unreachable } from '../engine/base/assert.ts';
import type { Distribution, Stage } from '../workloads/workload.ts';
import { UsageError } from './usage-error.ts';

interface Unit {
  readonly suffix: string;
  readonly factor: number;
}

const durationUnits: readonly Unit[] = [
  { suffix: 'd', factor: 86_400e9 },
  { suffix: 'h', factor: 3_600e9 },
  { suffix: 'm', factor: 60e9 },
  { suffix: 's', factor: 1e9 },
  { suffix: 'ms', factor: 1e6 },
  { suffix: 'us', factor: 1e3 },
  { suffix: 'µs', factor: 1e3 },
  { suffix: 'ns', factor: 1 },
];

const byteUnits: readonly Unit[] = [
  { suffix: 'TiB', factor: 2 ** 40 },
  { suffix: 'GiB', factor: 2 ** 30 },
  { suffix: 'MiB', factor: 2 ** 20 },
  { suffix: 'KiB', factor: 2 ** 10 },
  { suffix: 'TB', factor: 1e12 },
  { suffix: 'GB', factor: 1e9 },
  { suffix: 'MB', factor: 1e6 },
  { suffix: 'kB', factor: 1e3 },
  { suffix: 'KB', factor: 1e3 },
  { suffix: 'B', factor: 1 },
];

const multipliers: Readonly<Record<string, number>> = { '': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9 };

/** Refuses `value` for `field`, with the rule that it breaks. */
function refuse(field: string, value: string, rule: string): never {
  throw new UsageError(`${field}: "${value}" ${rule}`);
}

function needsUnit(field: string, value: string, noun: string, examples: string): never {
  const isNumber = /^[-+]?\d+(\.\d+)?$/.test(value);
  if (isNumber) refuse(field, value, `is a number without unit; a ${noun} is written like ${examples}`);
  refuse(field, value, `is no ${noun}; write it like ${examples}`);
}

/** Messages a second: `250/s`, `10k/s`, `1.5M/s`. */
export function parseRate(text: string, field: string): number {
  const match = /^(\d+(?:\.\d+)?)([kKMG]?)\/s$/.exec(text);
  if (match === null) needsUnit(field, text, 'rate', '250/s or 10k/s');
  return scaled(match[1], multipliers[match[2] ?? ''] ?? 1);
}

export function formatRate(perSecond: number): string {
  return `${formatCount(perSecond)}/s`;
}

/** Nanoseconds: `250ms`, `1m30s`, `2m`, `1h`. Below 104 days, above which nanoseconds are no exact integers. */
export function parseDuration(text: string, field: string): number {
  const rest = text.replaceAll(/\d+(?:\.\d+)?(?:d|h|ms|m|s|us|µs|ns)/g, '');
  if (text === '' || rest !== '') needsUnit(field, text, 'duration', '250ms, 1m30s or 2h');
  let sumNs = 0;
  for (const part of text.matchAll(/(\d+(?:\.\d+)?)([a-zµ]+)/g)) {
    sumNs += scaled(part[1], factorOf(durationUnits, part[2]));
  }
  const roundedNs = Math.round(sumNs);
  if (!Number.isSafeInteger(roundedNs)) refuse(field, text, 'is longer than 104 days, the longest duration');
  return roundedNs;
}

export function formatDuration(durationNs: number): string {
  if (durationNs === 0) return '0s';
  if (durationNs < 1e9) {
    const unit = durationUnits.find((candidate) => durationNs >= candidate.factor) as Unit;
    return `${decimal(durationNs, unit.factor)}${unit.suffix}`;
  }
  const hours = Math.floor(durationNs / 3_600e9);
  const minutes = Math.floor((durationNs - hours * 3_600e9) / 60e9);
  const restNs = durationNs - hours * 3_600e9 - minutes * 60e9;
  const seconds = restNs === 0 ? '' : `${decimal(restNs, 1e9)}s`;
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${seconds}`;
}

/** Bytes: `128B`, `1KiB`, `64MB`; MB is a million, MiB is 2^20. */
export function parseBytes(text: string, field: string): number {
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text);
  const unit = match === null ? undefined : byteUnits.find((candidate) => candidate.suffix === match[2]);
  if (match === null || unit === undefined) needsUnit(field, text, 'size', '128B, 1KiB or 64MB');
  const bytes = scaled(match[1], unit.factor);
  if (!Number.isSafeInteger(bytes)) refuse(field, text, 'is no whole number of bytes');
  return bytes;
}

export function formatBytes(bytes: number): string {
  const fits = byteUnits.find((unit) => bytes >= unit.factor && bytes % unit.factor === 0);
  return fits === undefined ? `${bytes}B` : `${bytes / fits.factor}${fits.suffix}`;
}

/** A whole number: `4096`, `10k`, `1M`. */
export function parseCount(text: string, field: string): number {
  const match = /^(\d+(?:\.\d+)?)([kKMG]?)$/.exec(text);
  if (match === null) refuse(field, text, 'is no count; write it like 4096, 10k or 1M');
  const count = scaled(match[1], multipliers[match[2] ?? ''] ?? 1);
  if (!Number.isSafeInteger(count)) refuse(field, text, 'is no whole number');
  return count;
}

export function formatCount(count: number): string {
  if (count !== 0 && count % 1e6 === 0) return `${count / 1e6}M`;
  if (count !== 0 && count % 1e3 === 0) return `${count / 1e3}k`;
  return String(count);
}

/** A share from 0 to 1: `0.1` or `10%`. */
export function parseFraction(text: string, field: string): number {
  const match = /^(\d+(?:\.\d+)?(?:e-\d+)?)(%?)$/.exec(text);
  if (match === null) refuse(field, text, 'is no fraction; write it like 0.1 or 10%');
  const fraction = match[2] === '%' ? Number(match[1]) / 100 : Number(match[1]);
  if (fraction > 1) refuse(field, text, 'is above 1; a fraction is between 0 and 1 (0% and 100%)');
  return fraction;
}

export function formatFraction(fraction: number): string {
  return String(fraction);
}

/** Stretches of constant rate: `1k/s@10s,5k/s@30s`. A rate of 0/s is a pause. */
export function parseStages(text: string, field: string): readonly Stage[] {
  return text.split(',').map((part) => {
    const [rate, duration, ...more] = part.trim().split('@');
    if (rate === undefined || duration === undefined || more.length > 0) {
      refuse(field, text, 'is no list of stages; write it like 1k/s@10s,5k/s@30s');
    }
    return { ratePerSecond: parseRate(rate, field), durationNs: parseDuration(duration, field) };
  });
}

export function formatStages(stages: readonly Stage[]): string {
  return stages
    .map((stage) => `${formatRate(stage.ratePerSecond)}@${formatDuration(stage.durationNs)}`)
    .join(',');
}

const distributionExamples = '20ms, uniform(1ms,5ms), exponential(20ms) or lognormal(20ms,0.5)';

/**
 * A random duration: `20ms`, `uniform(1ms,5ms)`, `exponential(20ms)`, `lognormal(20ms,0.5)`. The last two take
 * `max=…`; without it the tail is cut at ten means, and at the median times e^(4 sigma).
 */
export function parseDistribution(text: string, field: string): Distribution {
  const call = /^([a-z]+)\((.*)\)$/.exec(text.replaceAll(' ', ''));
  if (call === null) return { kind: 'fixed', valueNs: parseFixed(text, field) };
  const all = (call[2] ?? '').split(',');
  const positional = all.filter((part) => !part.includes('='));
  const maxText = all.find((part) => part.startsWith('max='))?.slice(4);
  const unknown = all.find((part) => part.includes('=') && !part.startsWith('max='));
  if (unknown !== undefined) refuse(field, text, `has the option "${unknown}"; the only one is max=…`);
  return readDistribution(call[1] ?? '', positional, maxText, text, field);
}

function parseFixed(text: string, field: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return parseDuration(text, field);
  if (!/^\d/.test(text)) {
    refuse(field, text, `is no duration or distribution; write it like ${distributionExamples}`);
  }
  return parseDuration(text, field);
}

function readDistribution(
  name: string,
  positional: readonly string[],
  maxText: string | undefined,
  text: string,
  field: string,
): Distribution {
  const [first = '', second = ''] = positional;
  const wanted = name === 'exponential' ? 1 : 2;
  const isKnown = name === 'uniform' || name === 'exponential' || name === 'lognormal';
  if (!isKnown || positional.length !== wanted) {
    refuse(field, text, `is no distribution; write it like ${distributionExamples}`);
  }
  if (name === 'uniform') {
    if (maxText !== undefined) refuse(field, text, 'has max=…, which its second bound already is');
    const bounds = { minNs: parseDuration(first, field), maxNs: parseDuration(second, field) };
    if (bounds.minNs > bounds.maxNs) refuse(field, text, 'has its bounds the wrong way round');
    return { kind: 'uniform', ...bounds };
  }
  const scaleNs = parseDuration(first, field);
  const sigma = name === 'lognormal' ? Number(second) : 0;
  if (!(sigma >= 0 && sigma <= 5)) refuse(field, text, 'has a sigma that is no number from 0 to 5');
  const defaultNs = name === 'lognormal' ? lognormalMaxNs(scaleNs, sigma) : scaleNs * 10;
  const maxNs = maxText === undefined ? defaultNs : parseDuration(maxText, field);
  if (maxNs < scaleNs) refuse(field, text, 'has a max below its middle');
  return name === 'lognormal'
    ? { kind: 'lognormal', medianNs: scaleNs, sigma, maxNs }
    : { kind: 'exponential', meanNs: scaleNs, maxNs };
}

export function formatDistribution(distribution: Distribution): string {
  switch (distribution.kind) {
    case 'fixed':
      return formatDuration(distribution.valueNs);
    case 'uniform':
      return `uniform(${formatDuration(distribution.minNs)},${formatDuration(distribution.maxNs)})`;
    case 'exponential': {
      const { meanNs, maxNs } = distribution;
      return `exponential(${formatDuration(meanNs)}${maxOption(maxNs, meanNs * 10)})`;
    }
    case 'lognormal': {
      const { medianNs, sigma, maxNs } = distribution;
      const option = maxOption(maxNs, lognormalMaxNs(medianNs, sigma));
      return `lognormal(${formatDuration(medianNs)},${sigma}${option})`;
    }
    default:
      return unreachable(distribution);
  }
}

function lognormalMaxNs(medianNs: number, sigma: number): number {
  return Math.round(medianNs * Math.exp(4 * sigma));
}

function maxOption(maxNs: number, defaultNs: number): string {
  return maxNs === defaultNs ? '' : `,max=${formatDuration(maxNs)}`;
}

function factorOf(units: readonly Unit[], suffix: string | undefined): number {
  return units.find((unit) => unit.suffix === suffix)?.factor ?? Number.NaN;
}

// 1.1 * 1e9 is 1100000000.0000002: such a product of a short decimal is meant to be the integer beside it.
function scaled(digits: string | undefined, factor: number): number {
  const product = Number(digits) * factor;
  const rounded = Math.round(product);
  return Math.abs(product - rounded) < Math.abs(product) * 1e-12 ? rounded : product;
}

/** `value` / `factor` (a power of ten) as exact decimal text. */
function decimal(value: number, factor: number): string {
  const whole = Math.floor(value / factor);
  const rest = value - whole * factor;
  if (rest === 0) return String(whole);
  const digits = Math.round(Math.log10(factor));
  return `${whole}.${String(rest).padStart(digits, '0').replace(/0+$/, '')}`;
}
