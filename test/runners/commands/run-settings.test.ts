import { expect, test } from 'vitest';
import { runSettings } from '../../../runners/commands/run-settings.ts';
import { defaultPlan } from '../../../runners/default-plan.ts';
import type { Plan } from '../../../runners/plan.ts';
import { everyKind } from '../../support/workloads.ts';

const workloads = { 'every-kind': everyKind, other: { ...everyKind, name: 'other', parameters: {} } };
const file: Plan = {
  schema: 1,
  name: 'from the file',
  seed: 7,
  repeats: 3,
  targets: ['inproc'],
  quiet: true,
  trials: [
    { workload: 'every-kind', parameters: { rate: '2k/s' } },
    { workload: 'other', parameters: {} },
  ],
};

test('a flag wins over the file, and the file over the default', () => {
  const { plan, ...rest } = runSettings({ repeats: 5, json: true }, file, workloads);
  expect(plan).toMatchObject({
    name: 'from the file',
    seed: '7',
    repeats: 5,
    targets: ['inproc'],
    client: 'wire',
    workers: 1,
  });
  expect(rest).toEqual({ out: null, json: true, quiet: true, progress: true, dryRun: false });
});

test('without file and flags it is the default plan', () => {
  expect(runSettings({}, null, workloads).plan.name).toBe(defaultPlan.name);
  expect(runSettings({ workload: ['other'] }, null, workloads).plan).toMatchObject({
    name: 'command line',
    repeats: 1,
    trials: [{ workload: 'other', parameters: {} }],
  });
});

test('--workload picks trials of the file', () => {
  expect(runSettings({ workload: ['other'] }, file, workloads).plan.trials).toEqual([
    { workload: 'other', parameters: {} },
  ]);
});

test('--set goes to every workload that has the parameter, and replaces what the file says', () => {
  expect(runSettings({ set: ['rate=1k/s,4k/s', 'window=10s'] }, file, workloads).plan.trials).toEqual([
    { workload: 'every-kind', parameters: { rate: '1k/s,4k/s', window: '10s' } },
    { workload: 'other', parameters: {} },
  ]);
});

test.each([
  [{ set: ['rate'] }, '--set: "rate" is not name=value, for example rate=10k/s'],
  [{ set: ['rate=1k/s', 'rate=2k/s'] }, '--set: rate is set twice; a list sweeps it: rate=a,b'],
  [{ set: ['wndow=1s'] }, 'has no parameter "wndow": did you mean "window"?'],
  [{ workload: ['every-kid'] }, '--workload: there is no workload "every-kid": did you mean "every-kind"?'],
])('what cannot be meant is refused (%#)', (flags, sentence) => {
  expect(() => runSettings(flags, file, workloads)).toThrow(sentence);
});

test('a workload that the file does not have is refused with those that it has', () => {
  const onlyOther = { ...file, trials: [{ workload: 'other', parameters: {} }] };
  expect(() => runSettings({ workload: ['every-kind'] }, onlyOther, workloads)).toThrow(
    '--workload: the plan has no trials of every-kind; it has other',
  );
});
