import { assert } from '../engine/base/assert.ts';
import { second } from '../engine/base/nanos.ts';
import { idLengthMin, payloadBytesMin } from './operation-id.ts';
import { loadSubject } from './parameters.ts';
import type { PublisherPlan, WorkloadPlan } from './workload.ts';

/** The publisher number of the preload: the one behind those of the plan, so that its ids are nobody else's. */
export function preloadPublisher(plan: WorkloadPlan): number {
  return plan.publisher?.publisherCount ?? 0;
}

/**
 * How the messages that must be there before the clock starts are published: a closed loop of one publisher. Its driver is
 * built as publisher 0 of this plan; bodies and ledger carry `preloadPublisher(plan)`.
 */
export function preloadPlan(plan: WorkloadPlan): PublisherPlan {
  assert(plan.preloadCount > 0, 'nothing to preload');
  const like = plan.publisher;
  return {
    loop: 'closed',
    arrivals: 'fixed',
    stages: [{ ratePerSecond: 0, durationNs: 60 * second }],
    messageCount: plan.preloadCount,
    publisherCount: 1,
    subject: like?.subject ?? loadSubject,
    payloadBytes: like?.payloadBytes ?? plan.preloadBytes ?? Math.max(128, payloadBytesMin),
    idHeader: 'message-id',
    idLength: like?.idLength ?? Math.max(36, idLengthMin),
    inFlightMax: 1024,
    catchUpMax: 1024,
    retry: null,
  };
}
