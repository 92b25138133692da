// How flags are read: each also from the environment, so that CI can set what a script does not say.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseCount } from '../units.ts';
import { UsageError } from '../usage-error.ts';

/** A flag that may be given several times. The environment parts its values by white space. */
export function listOption(flags: string, description: string): Option {
  const collect = (value: string, previous: unknown): string[] => [
    ...(Array.isArray(previous) ? (previous as string[]) : []),
    value,
  ];
  return new Option(flags, `${description} (repeatable)`).argParser(collect);
}

/** A flag whose value is a whole number from `min` to `max`; 10k and 1M are numbers too. */
export function countOption(flags: string, description: string, min: number, max: number): Option {
  return new Option(flags, description).argParser((text) => {
    const value = asArgument(() => parseCount(text, 'it'));
    if (value < min || value > max) throw new InvalidArgumentError(`It must be from ${min} to ${max}.`);
    return value;
  });
}

/** `ONCEMARK_DRY_RUN` for `--dry-run`; `ONCEMARK_PROGRESS` for `--no-progress`. */
export function environmentName(option: Option): string {
  return `ONCEMARK_${option.name().replace(/^no-/, '').replaceAll('-', '_').toUpperCase()}`;
}

/** Fills flags that were not given on the command line from the environment. Throws UsageError. */
export function applyEnvironment(command: Command, environment: NodeJS.ProcessEnv): void {
  for (const option of command.options) {
    const attribute = option.attributeName();
    const text = environment[environmentName(option)];
    if (text === undefined || text === '' || command.getOptionValueSource(attribute) === 'cli') continue;
    command.setOptionValueWithSource(attribute, environmentValue(option, text), 'env');
  }
}

function environmentValue(option: Option, text: string): unknown {
  const name = environmentName(option);
  if (option.isBoolean() || option.negate) return readBoolean(name, text);
  const parse = option.parseArg as ((value: string, previous: unknown) => unknown) | undefined;
  if (parse === undefined) return text;
  try {
    if (!option.description.endsWith('(repeatable)')) return parse(text, undefined);
    return text
      .trim()
      .split(/\s+/)
      .reduce<unknown>((previous, value) => parse(value, previous), undefined);
  } catch (error) {
    if (error instanceof InvalidArgumentError) {
      throw new UsageError(`${name}: "${text}": ${error.message}`, { cause: error });
    }
    throw error;
  }
}

function readBoolean(name: string, text: string): boolean {
  if (['1', 'true', 'yes', 'on'].includes(text.toLowerCase())) return true;
  if (['0', 'false', 'no', 'off'].includes(text.toLowerCase())) return false;
  throw new UsageError(`${name}: "${text}" is neither true nor false`);
}

function asArgument<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UsageError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

/** Only what was given, on the command line or in the environment: defaults come later, after the plan file. */
export function givenOptions<Flags extends object>(command: Command): Flags {
  const given = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) !== 'default',
  );
  return Object.fromEntries(given) as Flags;
}
