// A swept parameter as people write it: a list `1s,2s,5s`, or a range `1k/s..64k/s:x2` (each twice the one
// before) or `0ms..100ms:+20ms` (each 20 ms above it). A list of stages, which has commas itself, is parted by `;`.

import type { ParameterKind, ParameterSpec } from '../workloads/workload.ts';
import { readParameter } from './plan-parameters.ts';
import { formatBytes, formatCount, formatDuration, formatFraction, formatRate } from './units.ts';
import { UsageError } from './usage-error.ts';

const valueCountMax = 1000;

const rangeFormats: Partial<Record<ParameterKind, (value: number) => string>> = {
  rate: formatRate,
  duration: (value) => formatDuration(Math.round(value)),
  bytes: (value) => formatBytes(Math.round(value)),
  count: (value) => formatCount(Math.round(value)),
  fraction: (value) => formatFraction(Number(value.toPrecision(12))),
};

/** The values, as canonical text and each once, that `written` stands for. Throws UsageError that names `field`. */
export function sweptValues(
  spec: ParameterSpec,
  written: string | readonly string[],
  field: string,
): string[] {
  const parts = typeof written === 'string' ? splitList(spec.kind, written) : written;
  const values = parts.flatMap((part) => expandPart(spec, part.trim(), field));
  if (values.length === 0) throw new UsageError(`${field}: an empty list sweeps nothing`);
  const distinct = [...new Set(values)];
  if (distinct.length > valueCountMax) {
    throw new UsageError(
      `${field}: "${String(written)}" is ${distinct.length} values; at most ${valueCountMax}`,
    );
  }
  return distinct;
}

/** Splits at separators that are not inside parentheses. */
function splitList(kind: ParameterKind, text: string): string[] {
  const separator = kind === 'stages' ? ';' : ',';
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function expandPart(spec: ParameterSpec, text: string, field: string): string[] {
  if (!text.includes('..')) return [readParameter(spec, text, field).text];
  const format = rangeFormats[spec.kind];
  if (format === undefined) {
    throw new UsageError(`${field}: "${text}": a ${spec.kind} has no ranges; write a list`);
  }
  const match = /^(.+)\.\.(.+):(x|\+)(.+)$/.exec(text);
  if (match === null) {
    throw new UsageError(`${field}: "${text}" is a range without step; write FROM..TO:x2 or FROM..TO:+STEP`);
  }
  const [, from = '', to = '', operator, stepText = ''] = match;
  const start = readNumber(spec, from, field);
  const end = readNumber(spec, to, field);
  if (start > end) throw new UsageError(`${field}: "${text}" runs from the larger to the smaller value`);
  return operator === 'x'
    ? geometric(start, end, Number(stepText), text, field).map(format)
    : arithmetic(start, end, readNumber(spec, stepText, field), text, field).map(format);
}

function readNumber(spec: ParameterSpec, text: string, field: string): number {
  return readParameter(spec, text, field).number as number;
}

function geometric(start: number, end: number, factor: number, text: string, field: string): number[] {
  if (!(factor > 1)) {
    throw new UsageError(`${field}: "${text}": the factor after x is a number above 1, such as x2`);
  }
  if (start <= 0) throw new UsageError(`${field}: "${text}": a range by factors cannot start at 0`);
  const values: number[] = [];
  for (let value = start; value <= end * (1 + 1e-9) && values.length <= valueCountMax; value *= factor) {
    values.push(value);
  }
  return values;
}

function arithmetic(start: number, end: number, step: number, text: string, field: string): number[] {
  if (!(step > 0)) throw new UsageError(`${field}: "${text}": the step after + is above 0`);
  const count = Math.min(Math.floor((end - start) / step + 1e-9) + 1, valueCountMax + 1);
  return Array.from({ length: count }, (_, index) => start + index * step);
}
