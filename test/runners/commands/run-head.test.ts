import { expect, test } from 'vitest';
import { configurationLines, effectiveConsumer } from '../../../runners/commands/run-head.ts';
import { resolvePlan } from '../../../runners/plan-resolve.ts';
import { defaultPlan } from '../../../runners/default-plan.ts';
import { everyKind } from '../../support/workloads.ts';

test('C105: what a server will use of an empty consumer configuration is shown', () => {
  expect(effectiveConsumer({ durable_name: 'c', ack_policy: 'explicit' })).toEqual({
    ack_policy: 'explicit',
    ack_wait: '30s',
    max_deliver: '-1',
    max_ack_pending: '1000',
  });
});

test('a swept setting shows all its values on one line', () => {
  const trials = resolvePlan(
    {
      ...defaultPlan,
      trials: [{ workload: 'every-kind', parameters: { window: '1s,10s,2m', rate: '1k/s,2k/s' } }],
    },
    { 'every-kind': everyKind },
  );
  expect(configurationLines(trials)).toEqual([
    'stream   every-kind: retention limits, storage memory, duplicate_window 1s | 10s | 2m, discard old, replicas 1',
  ]);
});
