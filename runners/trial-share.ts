import type { ConsumerLedger } from '../workloads/consumer-ledger.ts';
import type { PublisherLedger } from '../workloads/publisher-ledger.ts';
import type { PhaseTimes } from '../workloads/tally.ts';
import type { WorkloadPlan } from '../workloads/workload.ts';
import type { ErrorCount } from './trial-errors.ts';
import type { ThreadUse } from './trial-thread.ts';

/** What one thread does in a trial. Crosses threads, so plain data only. */
export interface TrialShare {
  /** Number of this share, from 0. */
  readonly share: number;
  readonly plan: WorkloadPlan;
  readonly streamName: string;
  readonly consumerName: string | null;
  /** Numbers of the publishers and consumers of the plan that this thread plays. */
  readonly publishers: readonly number[];
  readonly consumers: readonly number[];
  readonly client: 'wire' | 'nats.js';
  readonly seed: string;
  /** Keeps message ids and inboxes of two trials apart. */
  readonly trialKey: string;
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Whole seconds since 1970 that stream timestamps are counted from. */
  readonly epochSeconds: number;
  /** Memory of the TrialControl. */
  readonly control: SharedArrayBuffer;
}

export interface ShareResult {
  readonly publishers: readonly PublisherLedger[];
  readonly consumers: readonly ConsumerLedger[];
  readonly errors: readonly ErrorCount[];
  readonly use: ThreadUse;
}

/** Phases in trial time. Warm-up starts at 0. */
export function phaseTimes(plan: WorkloadPlan): PhaseTimes {
  return { startNs: 0, warmupEndNs: plan.warmupNs, measureEndNs: plan.warmupNs + plan.measureNs };
}

/** Publishers and consumers dealt out over at most `threadCount` threads; those of one kind are spread evenly. */
export function dealOut(
  plan: WorkloadPlan,
  threadCount: number,
): { readonly publishers: number[]; readonly consumers: number[] }[] {
  const publisherCount = plan.publisher?.publisherCount ?? 0;
  const consumerCount = plan.consumerWork?.consumerCount ?? 0;
  const handCount = Math.max(1, Math.min(threadCount, publisherCount + consumerCount));
  const hands = Array.from({ length: handCount }, () => ({
    publishers: [] as number[],
    consumers: [] as number[],
  }));
  for (let publisher = 0; publisher < publisherCount; publisher += 1) {
    hands[publisher % handCount]?.publishers.push(publisher);
  }
  // Consumers go on where publishers ended, so that two threads of one each do not share a core.
  for (let consumer = 0; consumer < consumerCount; consumer += 1) {
    hands[(publisherCount + consumer) % handCount]?.consumers.push(consumer);
  }
  return hands;
}
