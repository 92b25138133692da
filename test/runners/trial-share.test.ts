import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { dealOut } from '../../runners/trial-share.ts';
import { workloads } from '../../workloads/registry.ts';
import type { WorkloadPlan } from '../../workloads/workload.ts';
import { trialOf } from './trial-fixture.ts';

const neverOpened = { spec: 'none', open: () => Promise.reject(new Error('never opened')) };

function planWith(publisherCount: number, consumerCount: number): WorkloadPlan {
  const { values } = trialOf('consume', neverOpened, { rate: '10/s' });
  const plan = workloads.consume.plan(values);
  return {
    ...plan,
    publisher: plan.publisher === null || publisherCount === 0 ? null : { ...plan.publisher, publisherCount },
    consumerWork:
      plan.consumerWork === null || consumerCount === 0 ? null : { ...plan.consumerWork, consumerCount },
  };
}

test('publishers and consumers are dealt out over the threads', () => {
  expect(dealOut(planWith(1, 1), 2)).toEqual([
    { publishers: [0], consumers: [] },
    { publishers: [], consumers: [0] },
  ]);
  expect(dealOut(planWith(3, 0), 2).map((hand) => hand.publishers)).toEqual([[0, 2], [1]]);
});

test('everybody is dealt exactly once, and no thread is left idle', () => {
  fc.assert(
    fc.property(fc.nat(6), fc.nat(6), fc.integer({ min: 1, max: 8 }), (publishers, consumers, threads) => {
      fc.pre(publishers + consumers > 0);
      const hands = dealOut(planWith(publishers, consumers), threads);
      const order = (numbers: number[]): number[] => numbers.sort((left, right) => left - right);
      expect(order(hands.flatMap((hand) => hand.publishers))).toEqual(
        Array.from({ length: publishers }, (_, n) => n),
      );
      expect(order(hands.flatMap((hand) => hand.consumers))).toEqual(
        Array.from({ length: consumers }, (_, n) => n),
      );
      const sizes = hands.map((hand) => hand.publishers.length + hand.consumers.length);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      expect(hands.length).toBeLessThanOrEqual(threads);
    }),
    { numRuns: 100 },
  );
});
