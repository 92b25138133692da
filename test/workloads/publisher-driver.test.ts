import { describe, expect, test } from 'vitest';
import { millisecond, second } from '../../engine/base/nanos.ts';
import { Prng } from '../../engine/base/prng.ts';
import { PublisherDriver } from '../../workloads/publisher-driver.ts';
import { believedFlag, outcomeMask, outcomes } from '../../workloads/publisher-ledger.ts';
import type { Outcome } from '../../workloads/publisher-ledger.ts';
import { at, driverOf, measured, planOf, play, type Target } from '../support/virtual-publisher.ts';

const ms = millisecond;

/** Serves in `serviceNs`, but nothing between the two moments: what arrives then is served after the second one. */
function stalling(fromNs: number, toNs: number, serviceNs: number): Target {
  return (sentNs) => ({
    atNs: (sentNs >= fromNs && sentNs < toNs ? toNs : sentNs) + serviceNs,
    outcome: outcomes.stored,
  });
}

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
