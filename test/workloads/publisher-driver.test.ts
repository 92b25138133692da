import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { millisecond, second } from '../../engine/base/nanos.ts';
import { Prng } from '../../engine/base/prng.ts';
import { LatencyCounts } from '../../engine/base/latency-counts.ts';
import { PublisherDriver } from '../../workloads/publisher-driver.ts';
import { believedFlag, discardedFlag, outcomeMask, outcomes } from '../../workloads/publisher-ledger.ts';
import type { Outcome, PublisherLedger } from '../../workloads/publisher-ledger.ts';
import type { PublisherPlan, RetryPlan, Stage } from '../../workloads/workload.ts';

const ms = millisecond;

function planOf(part: Partial<PublisherPlan> = {}): PublisherPlan {
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

function driverOf(plan: PublisherPlan, publisher = 0, seed = 1): PublisherDriver {
  const measureEndNs = plan.stages.reduce((sum, stage) => sum + stage.durationNs, 0);
  return new PublisherDriver({
    plan,
    publisher,
    prng: new Prng(seed),
    phases: { startNs: 0, warmupEndNs: 0, measureEndNs },
  });
}

const at = (ratePerSecond: number, seconds: number): Stage => ({
  ratePerSecond,
  durationNs: seconds * second,
});

interface Answer {
  readonly atNs: number;
  readonly outcome: Outcome;
}
/** Answers an attempt sent at a moment. */
type Target = (sentNs: number, counter: number, attemptOfId: number) => Answer;

interface Sent {
  readonly atNs: number;
  readonly counter: number;
  readonly attemptOfId: number;
}

/** Runs a driver in virtual time against a scripted target; the generator itself is never late. */
function play(driver: PublisherDriver, target: Target, sent: Sent[] = []): PublisherLedger {
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

/** Serves in `serviceNs`, but nothing between the two moments: what arrives then is served after the second one. */
function stalling(fromNs: number, toNs: number, serviceNs: number): Target {
  return (sentNs) => ({
    atNs: (sentNs >= fromNs && sentNs < toNs ? toNs : sentNs) + serviceNs,
    outcome: outcomes.stored,
  });
}

const measured = (ledger: PublisherLedger) => {
  const tally = ledger.phases[1];
  return {
    counters: tally.counters,
    response: LatencyCounts.from(tally.response),
    service: LatencyCounts.from(tally.service),
    lateness: LatencyCounts.from(tally.lateness),
  };
};

describe('publisher driver', () => {
  test('takes operations when they are due, and settles them', () => {
    const driver = driverOf(planOf({ stages: [at(10, 0.2)] }));
    expect(driver.wakeNs()).toBe(0);
    expect(driver.take(0)).toBe(true);
    expect(driver.next).toEqual({ attempt: 0, counter: 0, attemptOfId: 0, dueNs: 0 });
    expect(driver.take(0)).toBe(false);
    expect(driver.wakeNs()).toBe(100 * ms);
    driver.settle(0, outcomes.stored, 17, 2 * ms);
    expect(driver.take(101 * ms)).toBe(true); // a millisecond late
    expect(driver.isDone).toBe(false);
    driver.settle(1, outcomes.duplicate, 17, 104 * ms);
    expect(driver.isDone).toBe(true);

    const ledger = driver.finish(200 * ms);
    expect(ledger.count).toBe(2);
    expect([...ledger.outcomes]).toEqual([outcomes.stored | believedFlag, outcomes.duplicate | believedFlag]);
    expect([...ledger.sequences]).toEqual([17, 17]);
    const { response, service, lateness, counters } = measured(ledger);
    expect([response.minNs, response.maxNs]).toEqual([2 * ms, 4 * ms]);
    expect([service.minNs, service.maxNs]).toEqual([2 * ms, 3 * ms]);
    expect([lateness.minNs, lateness.maxNs]).toEqual([0, ms]);
    expect(counters).toMatchObject({ sent: 2, stored: 1, duplicate: 1, inFlight: 0, payloadBytesSent: 256 });
  });

  test('shows a stall of the target in response times (case C114)', () => {
    const driver = driverOf(planOf({ stages: [at(1000, 10)] }));
    const stall = stalling(2 * second, 7 * second, ms);
    const { response, counters } = measured(play(driver, stall));
    expect(counters.sent).toBe(10_000);
    expect(response.total).toBe(10_000);
    expect(response.valueAt(0.5) / ms).toBeCloseTo(1, 2);
    expect(Math.abs(response.valueAt(0.9) / ms - 4001)).toBeLessThan(4);
    expect(Math.abs(response.valueAt(0.99) / ms - 4901)).toBeLessThan(4); // 4 903 at three digits
    expect(response.maxNs / ms).toBe(5001);
    expect(response.meanNs / ms).toBeCloseTo(1251.25, 1);
  });

  test('keeps service times beside them, which do not see it when sends wait (case C114, C119)', () => {
    const driver = driverOf(planOf({ stages: [at(1000, 10)] }));
    // The generator itself stands still from 2 s to 7 s, as one does that waits for the target.
    let nowNs = 0;
    while (!driver.isDone) {
      nowNs = Math.max(nowNs, driver.wakeNs());
      if (nowNs >= 2 * second && nowNs < 7 * second) nowNs = 7 * second;
      const first = driver.counters()[1].sent;
      while (driver.take(nowNs));
      for (let attempt = first; attempt < driver.counters()[1].sent; attempt += 1) {
        driver.settle(attempt, outcomes.stored, attempt + 1, nowNs + ms);
      }
    }
    const ledger = driver.finish(nowNs);
    const { response, service, lateness } = measured(ledger);
    expect(service.maxNs).toBe(ms);
    expect(response.maxNs / ms).toBe(5001);
    expect(response.meanNs / ms).toBeCloseTo(1251.25, 1);
    expect(lateness.maxNs / ms).toBe(5000);
    expect(ledger.saturation).toMatchObject({ saturated: true, latenessNsMax: 5 * second, unsentCount: 0 });
  });

  test('does not correct twice (case C115)', () => {
    const driver = driverOf(planOf({ stages: [at(1000, 0.01)] }));
    const { response } = measured(play(driver, stalling(0, 10 * ms, 0)));
    expect(response.total).toBe(10);
    expect(response.meanNs / ms).toBe(5.5);
  });

  test('a pause is seen by all operations due in it (case C116)', () => {
    const driver = driverOf(planOf({ stages: [at(1, 10)] }));
    const { response } = measured(play(driver, stalling(2 * second, 47 * second, 0)));
    expect(response.total).toBe(10);
    expect(response.sumNs / second).toBe(45 + 44 + 43 + 42 + 41 + 40 + 39 + 38);
    expect(response.maxNs / second).toBe(45);
  });

  test('half a run in a pause raises the mean as it must (case C117)', () => {
    const driver = driverOf(planOf({ stages: [at(100, 30)] }));
    const { response } = measured(play(driver, stalling(7 * second, 22 * second, 50 * ms)));
    expect(Math.abs(response.meanNs / second - 3.8)).toBeLessThan(0.05);
    expect(response.maxNs / second).toBe(15.05);
  });

  test('a 500 ms stall at 100/s shows in p99 of response', () => {
    const driver = driverOf(planOf({ stages: [at(100, 4)] }));
    const { response } = measured(play(driver, stalling(second, 1.5 * second, ms)));
    expect(Math.abs(response.valueAt(0.99) / ms - 461)).toBeLessThan(11); // 4 of 400 samples are beyond it
  });

  test('every attempt is accounted for, those still open too (case C122)', () => {
    const driver = driverOf(planOf({ stages: [at(1000, 0.1)] }));
    while (driver.take(99 * ms));
    const endOf = (attempt: number): Outcome | 0 => {
      if (attempt < 90) return outcomes.stored;
      if (attempt < 92) return outcomes.duplicate;
      return attempt < 93 ? outcomes.failed : 0;
    };
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const outcome = endOf(attempt);
      if (outcome !== 0) driver.settle(attempt, outcome, attempt + 1, 99 * ms);
    }
    const { counters } = measured(driver.finish(second));
    expect(counters).toMatchObject({
      sent: 100,
      stored: 90,
      duplicate: 2,
      failed: 1,
      unknown: 0,
      inFlight: 7,
    });
  });

  test('splits operations over publishers, and their retries stay with them (case C110)', () => {
    const plan = planOf({ loop: 'closed', messageCount: 10, publisherCount: 3 });
    const counts = [0, 1, 2].map((publisher) => {
      const ledger = play(driverOf(plan, publisher), (sentNs) => ({
        atNs: sentNs + ms,
        outcome: outcomes.stored,
      }));
      return ledger.count;
    });
    expect(counts).toEqual([4, 3, 3]);
  });

  test('a closed loop keeps its window full and ends with its stages; Little agrees (case C136)', () => {
    const driver = driverOf(planOf({ loop: 'closed', inFlightMax: 8, stages: [at(0, 1)] }));
    let most = 0;
    const ledger = play(driver, (sentNs) => {
      most = Math.max(most, driver.openCount);
      return { atNs: sentNs + 2 * ms, outcome: outcomes.stored };
    });
    expect(most).toBe(8);
    const { response, service, lateness } = measured(ledger);
    expect(ledger.count).toBe(8 * 500);
    expect((ledger.count * service.meanNs) / second).toBeCloseTo(8, 1);
    expect(response.maxNs).toBe(2 * ms);
    expect(lateness.maxNs).toBe(0);
    expect(ledger.saturation.saturated).toBe(false);
    expect(driver.isDone).toBe(true);
  });

  test('an open loop that finds its window full says so, with numbers', () => {
    const driver = driverOf(planOf({ inFlightMax: 10, stages: [at(1000, 1)] }));
    const ledger = play(driver, stalling(100 * ms, 300 * ms, ms));
    expect(ledger.saturation.saturated).toBe(true);
    expect(ledger.saturation.windowFullCount).toBeGreaterThan(0);
    expect(measured(ledger).response.maxNs).toBeGreaterThan(150 * ms); // and the wait is in the response times
  });

  test('operations due and never sent are counted as due and make it saturated (case C133)', () => {
    const driver = driverOf(planOf({ stages: [at(1000, 1)] }));
    for (let sent = 0; sent < 250; sent += 1) driver.take(sent * 4 * ms);
    const ledger = driver.finish(second);
    expect(ledger.count).toBe(250);
    expect(ledger.phases[1].due).toBe(1000);
    expect(ledger.saturation).toMatchObject({ saturated: true, unsentCount: 750 });
  });

  test('catching up is bounded at any one moment', () => {
    const driver = driverOf(planOf({ catchUpMax: 16 }));
    let taken = 0;
    while (driver.take(500 * ms)) taken += 1;
    expect(taken).toBe(16);
    while (driver.take(500 * ms + 1)) taken += 1;
    expect(taken).toBe(32);
    expect(driver.wakeNs()).toBeLessThanOrEqual(500 * ms);
  });

  test('phases follow the due moment, not the send', () => {
    const plan = planOf({ stages: [at(1000, 0.3)] });
    const phases = { startNs: 0, warmupEndNs: 100 * ms, measureEndNs: 300 * ms };
    const driver = new PublisherDriver({ plan, publisher: 0, prng: new Prng(1), phases });
    const ledger = play(driver, stalling(50 * ms, 400 * ms, ms));
    expect(ledger.phases.map((phase) => phase.due)).toEqual([100, 200, 0]);
    expect(ledger.phases.map((phase) => phase.response.total)).toEqual([100, 200, 0]);
  });

  test('times out attempts as unknown; a PubAck that comes later is told apart from one too many (case C107)', () => {
    const driver = driverOf(planOf({ stages: [at(10, 0.3)] }));
    driver.take(0);
    driver.take(100 * ms);
    driver.take(200 * ms);
    driver.settle(1, outcomes.stored, 1, 150 * ms);
    expect(driver.expire(1000 * ms, 800 * ms)).toBe(2);
    driver.settle(0, outcomes.stored, 2, 1100 * ms);
    driver.settle(1, outcomes.stored, 3, 1100 * ms);
    const ledger = driver.finish(1200 * ms);
    expect([...ledger.outcomes].map((cell) => cell & outcomeMask)).toEqual([
      outcomes.unknown,
      outcomes.stored,
      outcomes.unknown,
    ]);
    expect(ledger).toMatchObject({ lateAckCount: 1, surplusAckCount: 1, abandonedCount: 2 });
    expect(() => driver.settle(99, outcomes.stored, 1, 0)).toThrow('attempt 99 was never taken');
  });

  test('open attempts are never further apart than the span, so that each has a lane', () => {
    const driver = driverOf(planOf({ inFlightMax: 8, stages: [at(100_000, 1)] }));
    let last = 0;
    for (let nowNs = 0; nowNs < 10 * ms; nowNs += 10_000) {
      while (driver.take(nowNs)) {
        last = driver.next.attempt;
        if (last > 0) driver.settle(last, outcomes.stored, last, nowNs); // the very first one stays open
      }
    }
    expect(last).toBe(driver.attemptSpan - 1);
    expect(driver.wakeNs()).toBe(Infinity);
    driver.settle(0, outcomes.stored, 1, 10 * ms);
    expect(driver.take(10 * ms)).toBe(true);
  });
});

const retryOf = (part: Partial<RetryPlan> = {}): RetryPlan => ({
  lostAckProbability: 0.5,
  delay: { kind: 'uniform', minNs: 10 * ms, maxNs: 400 * ms },
  horizonNs: second,
  attemptsMax: 10,
  ...part,
});

/** A target that deduplicates for ever and serves in a millisecond. */
function remembering(): Target {
  const stored = new Set<number>();
  return (sentNs, counter) => {
    const outcome = stored.has(counter) ? outcomes.duplicate : outcomes.stored;
    stored.add(counter);
    return { atNs: sentNs + ms, outcome };
  };
}

describe('publisher driver with retries', () => {
  test('throws PubAcks away and sends the same id again', () => {
    const retry = retryOf({
      lostAckProbability: 1,
      attemptsMax: 3,
      delay: { kind: 'fixed', valueNs: 50 * ms },
    });
    const driver = driverOf(planOf({ stages: [at(1, 1)], retry }));
    const sent: Sent[] = [];
    const ledger = play(driver, remembering(), sent);
    expect(sent).toEqual([
      { atNs: 0, counter: 0, attemptOfId: 0 },
      { atNs: 50 * ms, counter: 0, attemptOfId: 1 },
      { atNs: 100 * ms, counter: 0, attemptOfId: 2 },
    ]);
    expect(ledger.count).toBe(1);
    expect([...ledger.outcomes]).toEqual([outcomes.stored | discardedFlag]);
    expect([...ledger.retryOutcomes]).toEqual([
      outcomes.duplicate | discardedFlag,
      outcomes.duplicate | discardedFlag,
    ]);
    expect([...ledger.retryCounters]).toEqual([0, 0]);
    expect([...ledger.retrySentNs]).toEqual([50 * ms, 100 * ms]);
    expect(ledger.abandonedCount).toBe(1);
    const { counters, response, service } = measured(ledger);
    expect(counters).toMatchObject({ sent: 3, stored: 1, duplicate: 2, lostAcksInjected: 3, retries: 2 });
    expect([response.total, service.total]).toEqual([0, 3]); // nothing was ever believed
  });

  test('response time spans the retry wait, one sample an operation (case C111)', () => {
    const retry = retryOf({ lostAckProbability: 0, delay: { kind: 'fixed', valueNs: 50 * ms } });
    const driver = driverOf(planOf({ stages: [at(10, 0.3)], retry }));
    const ledger = play(driver, (sentNs, counter, attemptOfId) => ({
      atNs: sentNs + ms,
      outcome: counter === 1 && attemptOfId === 0 ? outcomes.failed : outcomes.stored,
    }));
    const { response, counters } = measured(ledger);
    expect([response.total, response.maxNs, response.minNs]).toEqual([3, 51 * ms, ms]);
    expect(counters).toMatchObject({ sent: 4, stored: 3, failed: 1, retries: 1 });
  });

  test('no attempt starts later than the retry horizon after the first one', () => {
    const planned = fc.record({
      horizonNs: fc.integer({ min: 0, max: 800 * ms }),
      attemptsMax: fc.integer({ min: 1, max: 8 }),
      lostAckProbability: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(planned, fc.nat(), fc.nat(30), (part, seed, laggardMs) => {
        const driver = driverOf(planOf({ stages: [at(200, 0.2)], retry: retryOf(part) }), 0, seed);
        const sent: Sent[] = [];
        const slow = remembering();
        const ledger = play(
          driver,
          (sentNs, counter, attempt) => {
            const answer = slow(sentNs, counter, attempt);
            return { ...answer, atNs: answer.atNs + (counter % 3) * laggardMs * ms };
          },
          sent,
        );
        const firstNs = new Map(
          sent.filter((one) => one.attemptOfId === 0).map((one) => [one.counter, one.atNs]),
        );
        for (const { counter, atNs, attemptOfId } of sent) {
          expect(atNs - firstNs.get(counter)!).toBeLessThanOrEqual(part.horizonNs);
          expect(attemptOfId).toBeLessThan(part.attemptsMax);
        }
        const { counters } = measured(ledger);
        expect(sent.length).toBe(ledger.count + ledger.retryCounters.length);
        expect(counters.stored).toBe(40);
        expect(
          ledger.outcomes.filter((cell) => (cell & believedFlag) !== 0).length + ledger.abandonedCount,
        ).toBe(40);
      }),
      { numRuns: 60 },
    );
  });

  test('the same seed gives the same schedule and loses the same acks, however the target behaves', () => {
    const lostIds = (seed: number, serviceMs: number): number[] => {
      const driver = driverOf(planOf({ retry: retryOf({ attemptsMax: 1 }) }), 0, seed);
      const ledger = play(driver, (sentNs, counter) => ({
        atNs: sentNs + serviceMs * ms * (counter % 7),
        outcome: outcomes.stored,
      }));
      return [...ledger.outcomes.keys()].filter(
        (counter) => (ledger.outcomes[counter]! & discardedFlag) !== 0,
      );
    };
    expect(lostIds(1, 1)).toEqual(lostIds(1, 20));
    expect(lostIds(1, 1)).not.toEqual(lostIds(2, 1));
    expect(Math.abs(lostIds(1, 1).length - 500)).toBeLessThan(80);

    const scheduleOf = (seed: number): Sent[] => {
      const sent: Sent[] = [];
      play(driverOf(planOf({ arrivals: 'poisson', retry: retryOf() }), 0, seed), remembering(), sent);
      return sent;
    };
    expect(scheduleOf(5)).toEqual(scheduleOf(5));
    expect(scheduleOf(5)).not.toEqual(scheduleOf(6));
  });
});
