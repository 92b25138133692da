// A publisher driver in virtual time: plans with one part changed, a target that is a function, and what was measured.

import { LatencyCounts } from '../../engine/base/latency-counts.ts';
import { second } from '../../engine/base/nanos.ts';
import { Prng } from '../../engine/base/prng.ts';
import { PublisherDriver } from '../../workloads/publisher-driver.ts';
import type { Outcome, PublisherLedger } from '../../workloads/publisher-ledger.ts';
import type { PublisherPlan, Stage } from '../../workloads/workload.ts';

/** An open loop of 1000/s for a second, but for the part given. */
export function planOf(part: Partial<PublisherPlan> = {}): PublisherPlan {
  return {
    loop: 'open',
    arrivals: 'fixed',
    stages: [{ ratePerSecond: 1000, durationNs: second }],
    messageCount: 0,
    publisherCount: 1,
    subject: 'load',
    payloadBytes: 128,
    idHeader: 'message-id',
    idLength: 36,
    inFlightMax: 100_000,
    catchUpMax: 100_000,
    retry: null,
    ...part,
  };
}

/** The driver of one publisher; everything is measured from the start. */
export function driverOf(plan: PublisherPlan, publisher = 0, seed = 1): PublisherDriver {
  const measureEndNs = plan.stages.reduce((sum, stage) => sum + stage.durationNs, 0);
  return new PublisherDriver({
    plan,
    publisher,
    prng: new Prng(seed),
    phases: { startNs: 0, warmupEndNs: 0, measureEndNs },
  });
}

/** A stage of a plan. */
export const at = (ratePerSecond: number, seconds: number): Stage => ({
  ratePerSecond,
  durationNs: seconds * second,
});

interface Answer {
  readonly atNs: number;
  readonly outcome: Outcome;
}
/** Answers an attempt sent at a moment. */
export type Target = (sentNs: number, counter: number, attemptOfId: number) => Answer;

export interface Sent {
  readonly atNs: number;
  readonly counter: number;
  readonly attemptOfId: number;
}

/** Runs a driver in virtual time against a scripted target; the generator itself is never late. */
export function play(driver: PublisherDriver, target: Target, sent: Sent[] = []): PublisherLedger {
  const answers: { attempt: number; answer: Answer }[] = [];
  let nowNs = 0;
  let sequence = 0;
  for (;;) {
    while (driver.take(nowNs)) {
      const { attempt, counter, attemptOfId } = driver.next;
      sent.push({ atNs: nowNs, counter, attemptOfId });
      answers.push({ attempt, answer: target(nowNs, counter, attemptOfId) });
    }
    answers.sort((left, right) => left.answer.atNs - right.answer.atNs);
    const nextNs = Math.min(driver.wakeNs(), answers[0]?.answer.atNs ?? Infinity);
    if (nextNs === Infinity) return driver.finish(nowNs);
    nowNs = Math.max(nowNs, nextNs);
    while (answers[0] !== undefined && answers[0].answer.atNs <= nowNs) {
      const { attempt, answer } = answers.shift()!;
      sequence += 1;
      driver.settle(attempt, answer.outcome, sequence, nowNs);
    }
  }
}

/** What the measured phase came to. */
export const measured = (ledger: PublisherLedger) => {
  const tally = ledger.phases[1];
  return {
    counters: tally.counters,
    response: LatencyCounts.from(tally.response),
    service: LatencyCounts.from(tally.service),
    lateness: LatencyCounts.from(tally.lateness),
  };
};
