// What can be told from a plan before it is run: settings that defeat each other (cases C26, C30, C97, C99, C100).

import { meanNs } from '../workloads/distribution.ts';
import type { ConsumerPlan, ConsumerSpec, RetryPlan, WorkloadPlan } from '../workloads/workload.ts';
import { formatDuration } from './units.ts';

/** What a server takes when a consumer's configuration leaves it out (case C105). */
export const consumerDefaults = { ack_wait: 30e9, max_deliver: -1, max_ack_pending: 1000 } as const;

/** Attempts of one id that fit before the retry horizon, the first included (case C97). */
export function attemptsPossible(retry: RetryPlan): number {
  const delayNs = meanNs(retry.delay);
  if (delayNs <= 0) return retry.attemptsMax;
  return Math.min(retry.attemptsMax, Math.max(1, Math.ceil(retry.horizonNs / delayNs)));
}

/** Longest handling time that every message of a full prefetch buffer survives: AckWait / in flight (case C100). */
export function handlingBudgetNs(consumer: ConsumerSpec, work: ConsumerPlan): number {
  const pendingMax = consumer.max_ack_pending ?? consumerDefaults.max_ack_pending;
  const inFlight = pendingMax > 0 ? Math.min(work.prefetch, pendingMax) : work.prefetch;
  return (consumer.ack_wait ?? consumerDefaults.ack_wait) / Math.max(1, inFlight);
}

/** One thing to know before the run. */
export interface Advice {
  readonly kind:
    | 'no-message-ids'
    | 'attempts-cut'
    | 'window-shorter-than-horizon'
    | 'ack-wait-below-handling';
  readonly message: string;
}

/** Empty when nothing stands out. */
export function planAdvice(plan: WorkloadPlan): Advice[] {
  return [...windowAdvice(plan), ...retryAdvice(plan), ...consumerAdvice(plan)];
}

function windowAdvice(plan: WorkloadPlan): Advice[] {
  const { publisher, stream } = plan;
  if (publisher === null || publisher.idHeader === 'message-id' || stream.duplicate_window === 0) return [];
  const window = formatDuration(stream.duplicate_window);
  const message = `a window of ${window} is configured and 0% of publishes carry a message id: nothing is deduplicated`;
  return [{ kind: 'no-message-ids', message }];
}

function retryAdvice(plan: WorkloadPlan): Advice[] {
  const retry = plan.publisher?.retry ?? null;
  if (retry === null) return [];
  const found: Advice[] = [];
  const possible = attemptsPossible(retry);
  const horizon = formatDuration(retry.horizonNs);
  // Random delays may be short: only fixed ones bound the number of attempts.
  if (retry.delay.kind === 'fixed' && possible < retry.attemptsMax) {
    const noun = possible === 1 ? 'attempt' : 'attempts';
    const message = `${possible} ${noun} possible of ${retry.attemptsMax}: the retry horizon is ${horizon}`;
    found.push({ kind: 'attempts-cut', message });
  }
  const windowNs = plan.stream.duplicate_window;
  if (plan.publisher?.idHeader === 'message-id' && windowNs < retry.horizonNs) {
    const window = formatDuration(windowNs);
    const message = `the window (${window}) is shorter than the retry horizon (${horizon}): late retries are stored twice`;
    found.push({ kind: 'window-shorter-than-horizon', message });
  }
  return found;
}

function consumerAdvice(plan: WorkloadPlan): Advice[] {
  if (plan.consumer === null || plan.consumerWork === null || plan.consumer.ack_policy === 'none') return [];
  const budgetNs = handlingBudgetNs(plan.consumer, plan.consumerWork);
  const handlingNs = meanNs(plan.consumerWork.handling);
  if (handlingNs <= budgetNs) return [];
  const budget = formatDuration(Math.round(budgetNs));
  const handling = formatDuration(Math.round(handlingNs));
  const message = `handling takes ${handling}, AckWait / in flight leaves ${budget}: messages will be redelivered`;
  return [{ kind: 'ack-wait-below-handling', message }];
}
