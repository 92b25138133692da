import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assert } from '../../engine/base/assert.ts';
import { type CompletePlan, resolvePlan } from '../../runners/plan-resolve.ts';
import { everyKind } from '../support/workloads.ts';

const workloads = { 'every-kind': everyKind };

function plan(changes: Partial<CompletePlan> = {}): CompletePlan {
  return {
    name: 'test',
    seed: '1',
    repeats: 1,
    client: 'wire',
    workers: 1,
    order: 'interleaved',
    targets: ['engine'],
    smoke: false,
    trials: [{ workload: 'every-kind', parameters: {} }],
    ...changes,
  };
}

test('a plan becomes trials with every parameter, as value, text and number', () => {
  const [trial, ...more] = resolvePlan(plan(), workloads);
  expect(more).toEqual([]);
  expect(trial?.parameters).toEqual({
    rate: '1k/s',
    stages: '1k/s@1s',
    window: '2m',
    count: '4',
    payload: '128B',
    lost: '0.1',
    ack: 'ack',
    handling: '20ms',
  });
  expect(trial?.values['handling']).toEqual({ kind: 'fixed', valueNs: 20e6 });
  expect(trial?.numbers).toEqual({
    rate: 1000,
    stages: 1000,
    window: 120e9,
    count: 4,
    payload: 128,
    lost: 0.1,
    handling: 20e6,
  });
  expect(trial?.swept).toEqual([]);
});

test('repeats run forwards and backwards, so that drift weighs on all cells alike', () => {
  const trials = resolvePlan(
    plan({
      repeats: 3,
      trials: [{ workload: 'every-kind', parameters: { rate: ['1k/s', '2k/s'] } }],
      targets: ['engine', 'inproc'],
    }),
    workloads,
  );
  const order = trials.map((trial) => `${trial.repeat} ${trial.parameters['rate']} ${trial.target}`);
  expect(order).toEqual([
    '0 1k/s engine',
    '0 1k/s inproc',
    '0 2k/s engine',
    '0 2k/s inproc',
    '1 2k/s inproc',
    '1 2k/s engine',
    '1 1k/s inproc',
    '1 1k/s engine',
    '2 1k/s engine',
    '2 1k/s inproc',
    '2 2k/s engine',
    '2 2k/s inproc',
  ]);
  expect(trials.map((trial) => trial.trial)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(trials[0]?.swept).toEqual(['rate']);
});

test('sequential order keeps the repeats of a cell together', () => {
  const trials = resolvePlan(
    plan({
      repeats: 2,
      order: 'sequential',
      trials: [{ workload: 'every-kind', parameters: { count: '1,2' } }],
    }),
    workloads,
  );
  expect(trials.map((trial) => `${trial.parameters['count']}/${trial.repeat}`)).toEqual([
    '1/0',
    '1/1',
    '2/0',
    '2/1',
  ]);
});

test('equal cells written in two ways are one', () => {
  const trials = [
    { workload: 'every-kind', parameters: { window: '120s' } },
    { workload: 'every-kind', parameters: { window: ['2m'], rate: 1000 + '/s' } },
  ];
  expect(resolvePlan(plan({ trials }), workloads)).toHaveLength(1);
});

test('smoke takes the small values and leaves what is written', () => {
  const [trial] = resolvePlan(
    plan({ smoke: true, trials: [{ workload: 'every-kind', parameters: { payload: '1KiB' } }] }),
    workloads,
  );
  expect(trial?.parameters).toMatchObject({ rate: '100/s', window: '1s', payload: '1KiB' });
});

test.each([
  [
    { workload: 'every-kin', parameters: {} },
    'trials[0].workload: there is no workload "every-kin": did you mean "every-kind"?',
  ],
  [{ workload: 'toString', parameters: {} }, 'trials[0].workload: there is no workload "toString"'],
  [
    { workload: 'every-kind', parameters: { windw: '1s' } },
    'has no parameter "windw": did you mean "window"?',
  ],
  [
    { workload: 'every-kind', parameters: { window: 20 } },
    'trials[0].parameters.window: "20" is a number without unit',
  ],
  [
    { workload: 'every-kind', parameters: { ack: 'doubleack' } },
    '"doubleack" is none of ack, double-ack: did you mean "double-ack"?',
  ],
  [
    { workload: 'every-kind', parameters: { payload: '8B' } },
    'trials[0] (every-kind payload=8B): payload is 8 bytes, at least 24 are needed',
  ],
])('a plan that cannot be carried out is refused (%#)', (trial, sentence) => {
  expect(() => resolvePlan(plan({ trials: [trial] }), workloads)).toThrow(sentence);
});

test('a broken contract of a workload is not a mistake of the user', () => {
  const broken = { ...everyKind, plan: () => assert(false, 'broken') as never };
  expect(() => resolvePlan(plan(), { 'every-kind': broken })).toThrow('broken');
});

test('every cell is run exactly once a repeat, whatever the matrix', () => {
  const counts = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(
      counts,
      counts,
      counts,
      fc.constantFrom('interleaved' as const, 'sequential' as const),
      (rates, targets, repeats, order) => {
        const trials = resolvePlan(
          plan({
            repeats,
            order,
            targets: Array.from({ length: targets }, (_, index) => `nats://127.0.0.1:${4222 + index}`),
            trials: [
              {
                workload: 'every-kind',
                parameters: { rate: Array.from({ length: rates }, (_, index) => `${index + 1}/s`) },
              },
            ],
          }),
          workloads,
        );
        expect(trials).toHaveLength(rates * targets * repeats);
        expect(new Set(trials.map((trial) => `${trial.cell} ${trial.repeat}`)).size).toBe(trials.length);
        expect(new Set(trials.map((trial) => trial.cell)).size).toBe(rates * targets);
      },
    ),
    { numRuns: 40 },
  );
});
