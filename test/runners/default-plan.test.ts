import { expect, test } from 'vitest';
import { defaultPlan } from '../../runners/default-plan.ts';
import { resolvePlan } from '../../runners/plan-resolve.ts';
import { workloads } from '../../workloads/registry.ts';

const trials = resolvePlan(defaultPlan, workloads);

test('the default plan covers rate x window, window / horizon, AckWait and resends, on the embedded engine', () => {
  const swept = new Map(trials.map((trial) => [trial.workload.name, trial.swept.join(' ')]));
  expect([...swept]).toEqual([
    ['publish', 'rate window'],
    ['publish-retry', 'window'],
    ['consume', 'ack-wait'],
    ['ack-then-retry', 'window'],
  ]);
  expect(new Set(trials.map((trial) => trial.target))).toEqual(new Set(['engine']));
});

test('it is meant to end within 90 s and in little memory', () => {
  const durationNs = trials.reduce((sum, trial) => sum + trial.estimate.durationNs, 0);
  expect(durationNs / 1e9).toBeLessThan(90);
  expect(Math.max(...trials.map((trial) => trial.estimate.memoryBytes))).toBeLessThan(500e6);
});

test('AckWait is swept from below to above what a full prefetch buffer takes', () => {
  const consume = trials.filter((trial) => trial.workload.name === 'consume');
  const burdenNs = (consume[0]?.numbers['prefetch'] ?? 0) * (consume[0]?.numbers['handling'] ?? 0);
  const waitsNs = consume.map((trial) => trial.numbers['ack-wait'] ?? 0);
  expect(Math.min(...waitsNs)).toBeLessThan(burdenNs);
  expect(Math.max(...waitsNs)).toBeGreaterThan(burdenNs);
});
