import { expect, test } from 'vitest';
import { estimateTrial } from '../../runners/plan-estimate.ts';
import { workloadPlan } from '../support/workloads.ts';

test('time is start, load and end; memory is messages, ids and ledgers', () => {
  const estimate = estimateTrial(workloadPlan({ ratePerSecond: 10_000, payloadBytes: 128 }));
  expect(estimate.durationNs).toBe(1.2e9 + 1e9 + 0.3e9 + 0.05e9);
  expect(estimate.memoryBytes).toBe(10_000 * (128 + 160 + 300 + 25));
});

test('a window shorter than the trial holds only its share of the ids', () => {
  const estimate = estimateTrial(workloadPlan({ ratePerSecond: 10_000, payloadBytes: 128, windowNs: 100e6 }));
  expect(estimate.memoryBytes).toBe(10_000 * (128 + 160 + 25) + 1000 * 300);
});

test('limits of the stream bound what it keeps', () => {
  const plan = workloadPlan({ ratePerSecond: 10_000, payloadBytes: 128 });
  const bounded = { ...plan, stream: { ...plan.stream, max_msgs: 1000 } };
  expect(estimateTrial(bounded).memoryBytes).toBe(1000 * (128 + 160) + 10_000 * (300 + 25));
  const onDisk = { ...plan, stream: { ...plan.stream, storage: 'file' as const } };
  expect(estimateTrial(onDisk).memoryBytes).toBe(10_000 * (300 + 25));
});
