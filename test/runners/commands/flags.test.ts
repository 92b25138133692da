import { Command } from 'commander';
import { expect, test } from 'vitest';
import {
  applyEnvironment,
  countOption,
  environmentName,
  givenOptions,
  listOption,
} from '../../../runners/commands/flags.ts';

interface Flags {
  readonly target?: readonly string[];
  readonly repeats?: number;
  readonly dryRun?: boolean;
  readonly progress?: boolean;
  readonly seed?: string;
}

function parse(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Flags {
  const command = new Command()
    .addOption(listOption('-t, --target <spec>', 'what is loaded'))
    .addOption(countOption('--repeats <count>', 'trials of each cell', 1, 1000))
    .option('--dry-run', 'run nothing')
    .option('--no-progress', 'no progress')
    .option('--seed <text>', 'chance')
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  command.parse(args, { from: 'user' });
  applyEnvironment(command, environment);
  return givenOptions<Flags>(command);
}

test('a flag wins over the environment, and what was not given is absent', () => {
  expect(
    parse(['--target', 'engine', '-t', 'inproc', '--repeats', '1k'], {
      ONCEMARK_REPEATS: '2',
      ONCEMARK_SEED: '9',
    }),
  ).toEqual({
    target: ['engine', 'inproc'],
    repeats: 1000,
    seed: '9',
  });
  expect(parse([])).toEqual({});
});

test('the environment parts lists by white space and reads yes and no', () => {
  const environment = {
    ONCEMARK_TARGET: 'engine nats://a:4222,b:4222',
    ONCEMARK_DRY_RUN: 'yes',
    ONCEMARK_PROGRESS: '0',
  };
  expect(parse([], environment)).toEqual({
    target: ['engine', 'nats://a:4222,b:4222'],
    dryRun: true,
    progress: false,
  });
  expect(parse([], { ONCEMARK_DRY_RUN: 'false' })).toEqual({ dryRun: false });
});

test('a wrong value in the environment is refused by its name', () => {
  expect(() => parse([], { ONCEMARK_REPEATS: '0' })).toThrow(
    'ONCEMARK_REPEATS: "0": It must be from 1 to 1000.',
  );
  expect(() => parse([], { ONCEMARK_DRY_RUN: 'perhaps' })).toThrow(
    'ONCEMARK_DRY_RUN: "perhaps" is neither true nor false',
  );
  expect(() => parse(['--repeats', 'many'])).toThrow('is no count');
});

test('the name of the variable is that of the flag', () => {
  const command = new Command().option('--dry-run', '').option('--no-progress', '');
  expect(command.options.map(environmentName)).toEqual(['ONCEMARK_DRY_RUN', 'ONCEMARK_PROGRESS']);
});
