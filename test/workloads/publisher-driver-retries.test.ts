import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { millisecond, second } from '../../engine/base/nanos.ts';
import { believedFlag, discardedFlag, outcomes } from '../../workloads/publisher-ledger.ts';
import type { RetryPlan } from '../../workloads/workload.ts';
import {
  at,
  driverOf,
  measured,
  planOf,
  play,
  type Sent,
  type Target,
} from '../support/virtual-publisher.ts';

const ms = millisecond;

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
