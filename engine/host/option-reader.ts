import { closest, distance } from 'fastest-levenshtein';
import type { Nanos } from '../base/nanos.ts';
import { second } from '../base/nanos.ts';
import { parseGoDuration } from '../wire/go-duration.ts';
import type { ConfigBlock, ConfigValue } from './config-file.ts';

/** A flag or a key of the configuration that cannot be followed; the text names field, value and rule. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  readonly field: string;
  readonly value: unknown;
  readonly rule: string;

  constructor(field: string, value: unknown, rule: string) {
    super(`${field} = ${typeof value === 'string' ? JSON.stringify(value) : valueText(value)}: ${rule}`);
    this.field = field;
    this.value = value;
    this.rule = rule;
  }
}

/** Fields without effect, collected while the others are read. */
export interface Leftovers {
  readonly isLenient: boolean;
  readonly fields: string[];
}

/** One field as it was written. */
export interface WrittenField {
  readonly field: string;
  readonly value: ConfigValue;
}

/**
 * Reads the fields of one configuration block, keys in any case, and remembers which it was asked for: the others
 * are unknown. Each reader takes a key and its older names, and answers null when none is there.
 */
export class OptionReader {
  readonly #path: string;
  readonly #entries = new Map<string, WrittenField>();
  readonly #known: string[] = [];

  /** `path` is what stands before the keys in error texts: '' or `jetstream.`. */
  constructor(path: string, block: ConfigBlock) {
    this.#path = path;
    for (const [key, value] of Object.entries(block)) {
      this.#entries.set(key.toLowerCase(), { field: `${path}${key}`, value });
    }
  }

  get path(): string {
    return this.#path;
  }

  /** The field under the first of the names that is there, as it was written. */
  find(...names: readonly string[]): WrittenField | null {
    this.#known.push(...names);
    const name = names.find((candidate) => this.#entries.has(candidate));
    return name === undefined ? null : (this.#entries.get(name) ?? null);
  }

  text(...names: readonly string[]): string | null {
    const found = this.find(...names);
    return found === null ? null : textOf(found);
  }

  integer(min: number, max: number, ...names: readonly string[]): number | null {
    const found = this.find(...names);
    return found === null ? null : integerOf(found, min, max);
  }

  boolean(...names: readonly string[]): boolean | null {
    const found = this.find(...names);
    if (found === null) return null;
    if (typeof found.value === 'boolean') return found.value;
    throw new OptionsError(found.field, found.value, 'must be true or false');
  }

  /** `2m`, `1.5s`, `500ms`; a bare number is seconds, as in nats-server. */
  durationNs(...names: readonly string[]): Nanos | null {
    const found = this.find(...names);
    if (found === null) return null;
    const { field, value } = found;
    const durationNs = typeof value === 'number' ? value * second : parseGoDuration(valueText(value));
    if (durationNs >= 0) return durationNs;
    throw new OptionsError(field, value, 'must be a duration such as 500ms, 10s or 2m');
  }

  /** The block under a key, empty when it is not there. */
  block(...names: readonly string[]): OptionReader {
    const found = this.find(...names);
    return found === null ? new OptionReader(`${this.#path}${names[0]}.`, {}) : blockOf(found);
  }

  list(...names: readonly string[]): readonly WrittenField[] | null {
    const found = this.find(...names);
    if (found === null) return null;
    if (!Array.isArray(found.value)) throw new OptionsError(found.field, found.value, 'must be a list [ … ]');
    return found.value.map((value: ConfigValue, index) => ({ field: `${found.field}[${index}]`, value }));
  }

  /** Notes which of some keys are there, as understood and without effect. */
  leaveOut(keys: readonly string[], leftovers: Leftovers): void {
    for (const key of keys) {
      const found = this.find(key);
      if (found !== null) leftovers.fields.push(found.field);
    }
  }

  /** Throws OptionsError at a key nobody asked for, or notes them all when leftovers are lenient. */
  finish(leftovers: Leftovers): void {
    for (const [key, { field, value }] of this.#entries) {
      if (this.#known.includes(key)) continue;
      if (!leftovers.isLenient) {
        throw new OptionsError(field, value, `is no known key${suggestion(key, this.#known)}`);
      }
      leftovers.fields.push(field);
    }
  }
}

export function textOf({ field, value }: WrittenField): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new OptionsError(field, value, 'must be text (put quotes around it)');
}

export function integerOf({ field, value }: WrittenField, min: number, max: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new OptionsError(field, value, `must be a whole number from ${min} to ${max}`);
}

export function blockOf({ field, value }: WrittenField): OptionReader {
  if (isBlock(value)) return new OptionReader(`${field}.`, value);
  throw new OptionsError(field, value, 'must be a block { … }');
}

export function isBlock(value: ConfigValue): value is ConfigBlock {
  return typeof value === 'object' && !Array.isArray(value);
}

/** One of some words, or OptionsError. */
export function choiceOf<T extends string>({ field, value }: WrittenField, choices: readonly T[]): T {
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  throw new OptionsError(
    field,
    value,
    `must be ${choices.join(' or ')}${suggestion(valueText(value), choices)}`,
  );
}

function suggestion(written: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const near = closest(written, known);
  const isNear = distance(written, near) <= Math.max(2, Math.floor(near.length / 3));
  return isNear ? `; did you mean ${near}?` : '';
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return '[…]';
  return typeof value === 'object' && value !== null ? '{…}' : String(value);
}
