import { meanNs } from '../workloads/distribution.ts';
import type {
  ParameterKind,
  ParameterSpec,
  ParameterValue,
  ParameterValues,
  Workload,
} from '../workloads/workload.ts';
import { nearestWord } from './nearest-word.ts';
import {
  formatBytes,
  formatCount,
  formatDistribution,
  formatDuration,
  formatFraction,
  formatRate,
  formatStages,
  parseBytes,
  parseCount,
  parseDistribution,
  parseDuration,
  parseFraction,
  parseRate,
  parseStages,
} from './units.ts';
import { UsageError, withSuggestion } from './usage-error.ts';

/** One parameter of one trial, in the three forms in which it is used. */
export interface ReadParameter {
  readonly value: ParameterValue;
  /** Canonical text with units: equal values have equal texts. */
  readonly text: string;
  /** For charts: rate a second (mean of stages), nanoseconds (mean of a distribution), bytes, count or fraction. */
  readonly number: number | null;
}

/** All parameters of one trial, defaults included. */
export interface ReadParameters {
  readonly values: ParameterValues;
  readonly texts: Readonly<Record<string, string>>;
  readonly numbers: Readonly<Record<string, number>>;
}

/** Reads one written value by the kind of its parameter. Throws UsageError that names `field`. */
export function readParameter(spec: ParameterSpec, written: string, field: string): ReadParameter {
  return readers[spec.kind](written.trim(), field, spec);
}

type Reader = (text: string, field: string, spec: ParameterSpec) => ReadParameter;

const readers: Readonly<Record<ParameterKind, Reader>> = {
  rate: (text, field) => numeric(parseRate(text, field), formatRate),
  duration: (text, field) => numeric(parseDuration(text, field), formatDuration),
  bytes: (text, field) => numeric(parseBytes(text, field), formatBytes),
  count: (text, field) => numeric(parseCount(text, field), formatCount),
  fraction: (text, field) => numeric(parseFraction(text, field), formatFraction),
  choice: (text, field, spec) => ({ value: readChoice(spec, text, field), text, number: null }),
  stages: readStages,
  distribution: (text, field) => {
    const value = parseDistribution(text, field);
    return { value, text: formatDistribution(value), number: meanNs(value) };
  },
};

function readStages(written: string, field: string): ReadParameter {
  const value = parseStages(written, field);
  const totalNs = value.reduce((sum, stage) => sum + stage.durationNs, 0);
  const weighted = value.reduce((sum, stage) => sum + stage.ratePerSecond * stage.durationNs, 0);
  return { value, text: formatStages(value), number: totalNs === 0 ? null : weighted / totalNs };
}

/** Reads the written values of a workload's parameters over its defaults (or its smoke values). */
export function readParameters(
  workload: Workload,
  written: Readonly<Record<string, string>>,
  useSmoke: boolean,
  path: string,
): ReadParameters {
  const values: Record<string, ParameterValue> = {};
  const texts: Record<string, string> = {};
  const numbers: Record<string, number> = {};
  for (const [name, spec] of Object.entries(workload.parameters)) {
    const text = written[name] ?? (useSmoke ? spec.smoke : spec.default);
    const read = readParameter(spec, text, `${path}.${name}`);
    values[name] = read.value;
    texts[name] = read.text;
    if (read.number !== null) numbers[name] = read.number;
  }
  return { values, texts, numbers };
}

/** The parameter of that name. Throws UsageError with the nearest name when the workload has none such. */
export function parameterSpec(workload: Workload, name: string, path: string): ParameterSpec {
  const spec = workload.parameters[name];
  if (spec !== undefined) return spec;
  const known = Object.keys(workload.parameters);
  const problem = `${path}: workload "${workload.name}" has no parameter "${name}"`;
  const near = nearestWord(name, known);
  throw new UsageError(
    near === null ? `${problem}; it has ${known.join(', ')}` : withSuggestion(problem, near),
  );
}

function numeric(value: number, format: (value: number) => string): ReadParameter {
  return { value, text: format(value), number: value };
}

function readChoice(spec: ParameterSpec, text: string, field: string): string {
  const choices = spec.choices ?? [];
  if (choices.includes(text)) return text;
  const problem = `${field}: "${text}" is none of ${choices.join(', ')}`;
  throw new UsageError(withSuggestion(problem, nearestWord(text, choices)));
}
