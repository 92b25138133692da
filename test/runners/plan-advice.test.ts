import { expect, test } from 'vitest';
import { attemptsPossible, handlingBudgetNs, planAdvice } from '../../runners/plan-advice.ts';
import type { ConsumerPlan, ConsumerSpec, RetryPlan, WorkloadPlan } from '../../workloads/workload.ts';
import { workloadPlan } from '../support/workloads.ts';

function retry(changes: Partial<RetryPlan>): RetryPlan {
  const delay = { kind: 'fixed', valueNs: 5e9 } as const;
  return { lostAckProbability: 0.1, delay, horizonNs: 60e9, attemptsMax: 10, ...changes };
}

function consuming(consumer: Partial<ConsumerSpec>, work: Partial<ConsumerPlan>): WorkloadPlan {
  return {
    ...workloadPlan(),
    consumer: { durable_name: 'c', ack_policy: 'explicit', ...consumer },
    consumerWork: {
      consumerCount: 1,
      prefetch: 1000,
      handling: { kind: 'fixed', valueNs: 1e6 },
      acknowledge: 'ack',
      lostAckProbability: 0,
      crashProbability: 0,
      restartDelayNs: 0,
      ...work,
    },
  };
}

function withRetry(plan: RetryPlan, windowNs: number): WorkloadPlan {
  const base = workloadPlan({ windowNs });
  return { ...base, publisher: base.publisher === null ? null : { ...base.publisher, retry: plan } };
}

function messages(plan: WorkloadPlan): string[] {
  return planAdvice(plan).map((advice) => advice.message);
}

test('a plan without contradictions has no advice', () => {
  expect(planAdvice(workloadPlan())).toEqual([]);
});

test('C97: ten retries of 5 s fit into 60 s, one into 5 s', () => {
  expect(attemptsPossible(retry({ horizonNs: 60e9 }))).toBe(10);
  expect(attemptsPossible(retry({ horizonNs: 5e9 }))).toBe(1);
  expect(messages(withRetry(retry({ horizonNs: 5e9 }), 120e9))).toEqual([
    '1 attempt possible of 10: the retry horizon is 5s',
  ]);
});

test('C99: a window without message ids deduplicates nothing', () => {
  const base = workloadPlan();
  const plan = {
    ...base,
    publisher: base.publisher === null ? null : { ...base.publisher, idHeader: 'none' as const },
  };
  expect(messages(plan)).toEqual([
    'a window of 2m is configured and 0% of publishes carry a message id: nothing is deduplicated',
  ]);
});

test('C26: a window shorter than the retry horizon lets late retries in', () => {
  expect(messages(withRetry(retry({}), 10e9))).toEqual([
    'the window (10s) is shorter than the retry horizon (1m): late retries are stored twice',
  ]);
});

test('C100: AckWait divided by what is in flight is the handling budget', () => {
  const defaults = consuming({}, {});
  expect(handlingBudgetNs(defaults.consumer!, defaults.consumerWork!)).toBe(30e6);
  const roomy = consuming({ ack_wait: 60e9, max_ack_pending: 100 }, {});
  expect(handlingBudgetNs(roomy.consumer!, roomy.consumerWork!)).toBe(600e6);
  const slow = consuming({}, { prefetch: 1, handling: { kind: 'fixed', valueNs: 31e9 } });
  expect(messages(slow)).toEqual([
    'handling takes 31s, AckWait / in flight leaves 30s: messages will be redelivered',
  ]);
});
