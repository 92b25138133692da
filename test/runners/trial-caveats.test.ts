import { describe, expect, test } from 'vitest';
import { mergePhases } from '../../runners/trial-record.ts';
import { trialCaveats } from '../../runners/trial-caveats.ts';
import type { TrialFacts } from '../../runners/trial-caveats.ts';
import { outOfTurn } from '../../runners/trial-errors.ts';
import { phaseTimes } from '../../runners/trial-share.ts';
import { Prng } from '../../engine/base/prng.ts';
import { PublisherDriver } from '../../workloads/publisher-driver.ts';
import { outcomes } from '../../workloads/publisher-ledger.ts';
import type { PublisherLedger } from '../../workloads/publisher-ledger.ts';
import { workloads } from '../../workloads/registry.ts';
import type { WorkloadPlan } from '../../workloads/workload.ts';
import { trialOf } from './trial-fixture.ts';

const neverOpened = { spec: 'none', open: () => Promise.reject(new Error('never opened')) };
const environment = {
  ...trialOf('publish', neverOpened).environment,
  coreCount: 4,
  loadAverage: 0,
  build: 'dist' as const,
};

function planOf(name: keyof typeof workloads, changes: Record<string, string> = {}): WorkloadPlan {
  return workloads[name].plan(trialOf(name, neverOpened, changes).values);
}

/** A publisher that was answered `answerNs` after each send and stepped every `stepNs`. */
function ledgerOf(plan: WorkloadPlan, stepNs: number, answerNs: number): PublisherLedger {
  if (plan.publisher === null) throw new Error('no publisher');
  const phases = phaseTimes(plan);
  const driver = new PublisherDriver({ plan: plan.publisher, publisher: 0, prng: new Prng('1'), phases });
  for (let nowNs = 0; nowNs < phases.measureEndNs + stepNs; nowNs += stepNs) {
    // A closed loop whose answers come at once would never be full.
    for (let count = 0; count < 16 && driver.take(nowNs); count += 1) {
      driver.settle(driver.next.attempt, outcomes.stored, driver.next.counter + 1, nowNs + answerNs);
    }
  }
  return driver.finish(phases.measureEndNs);
}

function factsOf(
  plan: WorkloadPlan,
  publishers: PublisherLedger[],
  more: Partial<TrialFacts> = {},
): TrialFacts {
  const use = { cpuNs: null, wallNs: 0, eventLoopDelayNsP99: 0, garbageCollectionNs: 0 };
  const share = { publishers, consumers: [], errors: [], use };
  const measured = mergePhases([share], phaseTimes(plan), phaseTimes(plan).measureEndNs)[1];
  if (measured === undefined) throw new Error('no measured phase');
  return {
    plan,
    environment,
    threadCount: 1,
    publishers,
    measured,
    rates: {
      offeredPerSecond: null,
      achievedPerSecond: null,
      streamPerSecond: null,
      deliveredPerSecond: null,
    },
    rateCheck: null,
    readBack: null,
    errors: [],
    configurationChanges: [],
    doneFraction: null,
    ...more,
  };
}

const kindsOf = (facts: TrialFacts): string[] => trialCaveats(facts).map((one) => one.kind);
const steady = planOf('publish', { rate: '2k/s', duration: '1s' });

test('a trial whose generator kept up on a quiet machine needs no caveat', () => {
  expect(kindsOf(factsOf(steady, [ledgerOf(steady, 10_000, 1e6)]))).toEqual([]);
});

describe('the generator', () => {
  test('that was asked for more than it can do is saturated, which makes the trial invalid', () => {
    const facts = factsOf(steady, [ledgerOf(steady, 200e6, 1e6)]);
    expect(kindsOf(facts)).toContain('generator-saturated');
    expect(trialCaveats(facts)[0]).toMatchObject({ severity: 'invalid' });
  });

  test('of an interrupted trial is not to blame for what was not sent any more', () => {
    const whole = ledgerOf(steady, 10_000, 1e6);
    const cut = { ...whole, saturation: { ...whole.saturation, saturated: true, unsentCount: 500 } };
    expect(kindsOf(factsOf(steady, [cut], { doneFraction: 0.5 }))).toEqual(['partial']);
    expect(kindsOf(factsOf(steady, [cut]))).toContain('generator-saturated');
  });

  test('in more threads than there are cores shares them with the target', () => {
    expect(kindsOf(factsOf(steady, [ledgerOf(steady, 10_000, 1e6)], { threadCount: 4 }))).toEqual([
      'threads-outnumber-cores',
    ]);
  });

  test('in a closed loop measures a ceiling, and its latencies are labelled', () => {
    const closed = planOf('publish', { loop: 'closed' });
    expect(kindsOf(factsOf(closed, [ledgerOf(closed, 1e6, 1000)]))).toContain('closed-loop');
  });
});

describe('the measurement', () => {
  test('that sent before the start is invalid', () => {
    const ledger = ledgerOf(steady, 10_000, 1e6);
    const early = { ...ledger, sentNs: ledger.sentNs.map((atNs, index) => (index < 2 ? -5e6 : atNs)) };
    expect(kindsOf(factsOf(steady, [early]))).toEqual(['send-before-start']);
  });

  test('that did not reach the rate it asked for is invalid', () => {
    const rates = {
      offeredPerSecond: 14_000,
      achievedPerSecond: 3592,
      streamPerSecond: null,
      deliveredPerSecond: null,
    };
    const facts = factsOf(steady, [ledgerOf(steady, 10_000, 1e6)], { rates });
    expect(trialCaveats(facts)[0]).toMatchObject({ kind: 'rate-not-reached', severity: 'invalid' });
  });

  test('whose clock and the stream’s disagree is invalid', () => {
    const rateCheck = { ownPerSecond: 2000, streamPerSecond: 1900 };
    expect(kindsOf(factsOf(steady, [ledgerOf(steady, 10_000, 1e6)], { rateCheck }))).toEqual([
      'clock-cross-check-failed',
    ]);
  });

  test('that left publishes unanswered says how many, and is invalid above one in a hundred', () => {
    const ledger = ledgerOf(steady, 10_000, 1e6);
    const unanswered = (count: number): PublisherLedger => {
      const [warmup, measure, drain] = ledger.phases;
      const counters = { ...measure.counters, inFlight: count, stored: measure.counters.stored - count };
      return { ...ledger, phases: [warmup, { ...measure, counters }, drain] };
    };
    const severities = [1, 500].map((count) => trialCaveats(factsOf(steady, [unanswered(count)])));
    expect(severities).toMatchObject([
      [{ kind: 'unanswered', severity: 'warning' }],
      [{ kind: 'unanswered', severity: 'invalid' }],
    ]);
  });

  test('of few samples cannot carry p99', () => {
    const short = planOf('publish', { rate: '1k/s', duration: '200ms' });
    expect(kindsOf(factsOf(short, [ledgerOf(short, 10_000, 1e6)]))).toEqual(['too-few-samples']);
  });
});

describe('the configuration', () => {
  test('with a window and without ids deduplicates nothing (case C99)', () => {
    const bare = planOf('publish', { rate: '2k/s', duration: '1s', 'id-header': 'none' });
    expect(kindsOf(factsOf(bare, [ledgerOf(bare, 10_000, 1e6)]))).toEqual(['no-message-ids']);
  });

  test('with a pull that takes longer than AckWait redelivers (case C100)', () => {
    const slow = planOf('consume', { prefetch: '100', handling: '10ms', 'ack-wait': '500ms' });
    expect(kindsOf(factsOf(slow, []))).toEqual(['ack-wait-below-handling']);
  });

  test('that the server changed makes the figures another configuration’s', () => {
    const changed = factsOf(steady, [ledgerOf(steady, 10_000, 1e6)], {
      configurationChanges: ['stream duplicate_window: asked for 5, the server has 4'],
    });
    expect(trialCaveats(changed)).toMatchObject([{ kind: 'configuration-changed', severity: 'invalid' }]);
  });
});

test('replies out of turn leave no account to believe', () => {
  const errors = [{ sentence: outOfTurn, count: 1 }];
  const facts = factsOf(steady, [ledgerOf(steady, 10_000, 1e6)], { errors });
  expect(trialCaveats(facts)).toMatchObject([{ kind: 'operation-errors', severity: 'invalid' }]);
});

test('what went wrong is listed, the most frequent first, five kinds at most', () => {
  const errors = Array.from({ length: 9 }, (_, index) => ({ sentence: `error ${index}`, count: index + 1 }));
  const facts = factsOf(steady, [ledgerOf(steady, 10_000, 1e6)], { errors });
  expect(trialCaveats(facts).map((one) => one.message)).toEqual(
    [9, 8, 7, 6, 5].map((count) => `${count} times: error ${count - 1}`),
  );
});
