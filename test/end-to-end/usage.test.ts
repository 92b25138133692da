import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { oncemark, testFolder } from '../support/command-line.ts';

const folder = testFolder();

function planFile(text: string): string {
  const file = join(folder, `plan-${text.length}.yaml`);
  writeFileSync(file, text);
  return file;
}

test('help names the commands, and each command shows examples', async () => {
  const help = await oncemark(['--help']);
  expect(help.code).toBe(0);
  for (const command of ['run', 'report', 'serve', 'doctor', 'schema']) {
    expect(help.stdout).toContain(command);
    const own = await oncemark([command, '--help']);
    expect(own.stdout).toContain('Examples:\n');
    expect(own.code).toBe(0);
  }
});

test('the version is that of the package', async () => {
  expect(await oncemark(['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
  });
});

describe('bad input ends with code 2, one clear sentence, and nothing on standard output', () => {
  test.each<[string[], string]>([
    [['run', '--tagret', 'engine'], "unknown option '--tagret'\n(Did you mean --target?)"],
    [['rnu'], "unknown command 'rnu'"],
    [['run', 'no-such-plan.yaml'], 'plan "no-such-plan.yaml" cannot be read'],
    [['run', '--target', 'enigne'], 'target "enigne" is of no known kind'],
    [['run', '--target', 'enigne'], 'did you mean "engine"?'],
    [['run', '--target', 'nats-server:/no/such/server'], '"/no/such/server" is no file that can be executed'],
    [['run', '--workload', 'publsh'], '--workload: there is no workload "publsh": did you mean "publish"?'],
    [
      ['run', '--workload', 'publish', '--set', 'rate=100'],
      'parameters.rate: "100" is a number without unit',
    ],
    [
      ['run', '--workload', 'publish', '--set', 'windw=1s'],
      'has no parameter "windw": did you mean "window"?',
    ],
    [['run', '--repeats', '0'], 'It must be from 1 to 1000'],
    [['run', '--client', 'tcp'], 'Allowed choices are wire, nats.js'],
    [['report', 'no-such-results'], 'results "no-such-results": there is no such file or folder'],
    [['report'], "missing required argument 'RESULTS'"],
  ])('oncemark %j', async (args, sentence) => {
    const end = await oncemark(args);
    expect(end.stderr).toContain(sentence);
    expect(end).toMatchObject({ code: 2, stdout: '' });
  });

  test('an unknown key of a plan is refused with a suggestion', async () => {
    const file = planFile('schema: 1\nrepeat: 3\ntrials:\n  - workload: publish\n');
    const end = await oncemark(['run', file]);
    expect(end.stderr).toBe(`error: ${file}: plan: unknown key "repeat": did you mean "repeats"?\n`);
    expect(end.code).toBe(2);
  });

  test('so is a wrong value in the environment', async () => {
    const end = await oncemark(['run', '--dry-run'], { ONCEMARK_REPEATS: 'often' });
    expect(end.stderr).toContain('ONCEMARK_REPEATS: "often"');
    expect(end.code).toBe(2);
  });
});

test('--dry-run shows the resolved plan with time, memory and configuration in effect, and runs nothing', async () => {
  const end = await oncemark([
    'run',
    '--dry-run',
    '--workload',
    'consume',
    '--set',
    'ack-wait=20ms,1s',
    '--repeats',
    '2',
  ]);
  expect(end.code).toBe(0);
  expect(end.stdout).toContain('2 cells x 2 repeats = 4 trials, about ');
  expect(end.stdout).toMatch(
    /consumer consume: ack_policy explicit, ack_wait 20ms \| 1s, max_deliver -1, max_ack_pending \d+/,
  );
  expect(end.stdout).toMatch(/\n\[4\] consume on engine, repeat 2 .*ack-wait=20ms/);
});

test('--dry-run --json is one document, from flags before environment before file', async () => {
  const file = planFile(
    'schema: 1\nrepeats: 3\nseed: 5\nworkers: 2\ntrials:\n  - workload: publish\n    parameters: {rate: "1k/s..4k/s:x2"}\n',
  );
  const end = await oncemark(['run', file, '--dry-run', '--json', '--repeats', '1'], {
    ONCEMARK_REPEATS: '2',
    ONCEMARK_SEED: '6',
  });
  const document = JSON.parse(end.stdout) as { plan: object; trials: { parameters: { rate: string } }[] };
  expect(document.plan).toMatchObject({ repeats: 1, seed: '6', workers: 2 });
  expect(document.trials.map((trial) => trial.parameters.rate)).toEqual(['1k/s', '2k/s', '4k/s']);
});

test('schema prints JSON Schema of records and plans', async () => {
  for (const what of ['run', 'plan']) {
    const end = await oncemark(['schema', what]);
    expect(JSON.parse(end.stdout)).toMatchObject({ type: 'object', additionalProperties: false });
  }
});

test('doctor judges the machine in one document or in lines with a verdict at the end', async () => {
  const end = await oncemark(['doctor', '--json']);
  const document = JSON.parse(end.stdout) as { verdict: string; figures: { clockNs: number } };
  expect(['fit', 'fit with care', 'unfit']).toContain(document.verdict);
  expect(document.figures.clockNs).toBeGreaterThan(0);
  expect(end.code).toBe(document.verdict === 'unfit' ? 6 : 0);
});
