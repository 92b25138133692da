import { expect, test } from 'vitest';
import { parsePlan, planJsonSchema } from '../../runners/plan.ts';

const good = `
schema: 1
name: window against rate
repeats: 2
targets: [engine, "nats-server:/usr/sbin/nats-server"]
trials:
  - workload: publish
    parameters:
      rate: 1k/s..64k/s:x2
      window: [10s, 2m]
      publishers: 4
`;

test('a plan is YAML or JSON with schema and trials', () => {
  const plan = parsePlan(good, 'plan.yaml');
  expect(plan.repeats).toBe(2);
  expect(plan.trials).toEqual([
    { workload: 'publish', parameters: { rate: '1k/s..64k/s:x2', window: ['10s', '2m'], publishers: 4 } },
  ]);
  expect(parsePlan(JSON.stringify(plan), 'plan.json')).toEqual(plan);
});

test.each([
  [
    'schema: 1\ntrails: []\ntrials: [{workload: publish}]',
    'p: plan: unknown key "trails": did you mean "trials"?',
  ],
  [
    'schema: 1\ntrials: [{workload: publish, paramters: {}}]',
    'p: trials[0]: unknown key "paramters": did you mean "parameters"?',
  ],
  ['schema: 2\ntrials: [{workload: publish}]', 'p: schema is 2: must be 1'],
  ['trials: [{workload: publish}]', 'p: schema is missing (must be 1)'],
  ['schema: 1', 'p: trials is missing'],
  ['schema: 1\nrepeats: 0\ntrials: [{workload: publish}]', 'p: repeats is 0: too small'],
  ['schema: 1\nclient: tcp\ntrials: [{workload: publish}]', 'p: client is "tcp": must be wire or nats.js'],
  [
    'schema: 1\ntrials: [{workload: publish, parameters: {rate: true}}]',
    'p: trials[0].parameters.rate is true: must be a text',
  ],
  ['just words', 'p: a plan is a mapping'],
  ['a: [', 'p: '],
])('what is wrong is named with path, value and rule (%#)', (text, sentence) => {
  expect(() => parsePlan(text, 'p')).toThrow(sentence);
});

test('all problems are told at once', () => {
  expect(() => parsePlan('schema: 1\nrepeats: 0\nworkers: 99\ntrials: [{workload: publish}]', 'p')).toThrow(
    /repeats is 0.*\n.*workers is 99/,
  );
});

test('the JSON Schema refuses unknown keys too', () => {
  expect(planJsonSchema()).toMatchObject({
    type: 'object',
    additionalProperties: false,
    required: ['schema', 'trials'],
  });
});
