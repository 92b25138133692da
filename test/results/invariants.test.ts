import { describe, expect, it } from 'vitest';
import { LatencyCounts } from '../../engine/base/latency-counts.ts';
import { encodeCounts } from '../../results/histogram.ts';
import {
  histogramProblems,
  littlesLawProblems,
  momentProblems,
  recordProblems,
  sumProblems,
  tailProblems,
} from '../../results/invariants.ts';
import type { Counters, Run } from '../../results/run.ts';
import { buildRun, capacityPlan } from '../support/runs.ts';

const counters: Counters = {
  sent: 100,
  stored: 90,
  duplicate: 2,
  failed: 1,
  unknown: 0,
  inFlight: 7,
  lostAcksInjected: 0,
  retries: 2,
  delivered: 0,
  redelivered: 0,
  acknowledged: 0,
  acknowledgedConfirmed: 0,
  payloadBytesSent: 12_800,
  payloadBytesDelivered: 0,
};

function withHistogram(run: Run, values: readonly number[]): Run {
  const counts = new LatencyCounts();
  for (const value of values) counts.record(value);
  const [first, ...rest] = run.phases;
  const histograms = { ...first!.histograms, response: encodeCounts(counts) };
  return { ...run, phases: [{ ...first!, histograms }, ...rest] };
}

describe('invariants', () => {
  it('has nothing to say about sound records', () => {
    expect(recordProblems(buildRun())).toEqual([]);
    expect(capacityPlan({ sampleCountMax: 200 }).flatMap(recordProblems)).toEqual([]);
  });

  it('wants counters that add up (C122)', () => {
    expect(sumProblems('totals', counters)).toEqual([]);
    expect(sumProblems('totals', { ...counters, inFlight: 0 })).toEqual([
      'totals: sent 100 is not stored 90 + duplicate 2 + failed 1 + unknown 0 + in flight 0 = 93',
    ]);
    const [parts] = sumProblems('totals', { ...counters, redelivered: 1 });
    expect(parts).toBe('totals: redelivered 1 exceeds delivered 0');
  });

  it('lets an ack be confirmed one phase later, not from nothing', () => {
    const run = buildRun({ workload: 'consume', rate: 500 });
    const [warmup, measure] = run.phases;
    const late = { ...measure!.counters, acknowledgedConfirmed: run.totals.acknowledged };
    const totals = { ...run.totals, acknowledgedConfirmed: run.totals.acknowledged };
    const phases = [warmup!, { ...measure!, counters: late }];
    expect(recordProblems({ ...run, totals, phases })).toEqual([]);
    const none = { ...totals, acknowledgedConfirmed: totals.acknowledged + 1 };
    expect(recordProblems({ ...run, totals: none, phases })[0]).toMatch(
      /^totals: acknowledgedConfirmed \d+ exceeds/,
    );
  });

  it('wants totals that are the sum of their phases', () => {
    const run = buildRun();
    const totals = { ...run.totals, sent: run.totals.sent + 1, stored: run.totals.stored + 1 };
    expect(recordProblems({ ...run, totals })[0]).toMatch(/^totals: sent \d+ is not the sum over the phases/);
  });

  it('refuses a standard deviation in another unit (C132)', () => {
    const piscina = { count: 100, min: 4452, max: 7500, mean: 5914.4, standardDeviation: 525_522 };
    expect(momentProblems('run time', piscina)[0]).toContain('standard deviation 525522 exceeds');
    expect(momentProblems('run time', { ...piscina, standardDeviation: 525.5 })).toEqual([]);
  });

  it('wants the mean between the ends', () => {
    expect(momentProblems('service', { count: 2, min: 10, max: 20, mean: 21 })).toHaveLength(1);
    expect(momentProblems('service', { count: 2, min: 20, max: 10, mean: 15 })[0]).toContain(
      'min 20 exceeds max 10',
    );
  });

  it('refuses a mean that a printed p99 cannot carry (C156)', () => {
    expect(tailProblems('response', 1.8e9, 16.4e6, 16.4e6)).toHaveLength(1);
    // A stall that hits half a per cent lifts an honest mean above p99: 995 x 1 ms, 5 x 10 s.
    const stalled = (995 * 1e6 + 5 * 10e9) / 1000;
    expect(stalled).toBeGreaterThan(1e6);
    expect(tailProblems('response', stalled, 1e6, 10e9)).toEqual([]);
  });

  it('accepts such a stall, and samples above the range, from real counts', () => {
    const stall = [...Array.from({ length: 995 }, () => 1e6), ...Array.from({ length: 5 }, () => 10e9)];
    expect(recordProblems(withHistogram(buildRun(), stall))).toEqual([]);
    expect(recordProblems(withHistogram(buildRun(), [1e6, 200e9, 300e9]))).toEqual([]);
    expect(recordProblems(withHistogram(buildRun(), [1_000_000, 1_000_100]))).toEqual([]);
  });

  it('holds the encoded form against the numbers beside it', () => {
    const sound = buildRun().phases[0]!.histograms.response!;
    expect(histogramProblems('response', { ...sound, count: sound.count + 1 })[0]).toContain(
      'its encoded form holds',
    );
    expect(histogramProblems('response', { ...sound, count: 0 })).toHaveLength(1);
    expect(histogramProblems('response', { ...sound, mean: null })[0]).toContain('need min, max and mean');
    expect(histogramProblems('response', { ...sound, encoded: 'nonsense' })).toHaveLength(1);
  });

  it("knows Little's law (C136)", () => {
    expect(littlesLawProblems('measure', 1000, 1e6, 1)).toEqual([]); // one client, 1 ms, 1 000/s
    expect(littlesLawProblems('measure', 1000, 5e6, 1)[0]).toContain('5.0 open operations, and at most 1');
    // Operations still open at the end of the span count with their whole latency: half a span more at the most.
    expect(littlesLawProblems('measure', 1000, 1.5e6, 1, 0.5)).toEqual([]);
    expect(littlesLawProblems('measure', 1000, 1.7e6, 1, 0.5)).toHaveLength(1);
  });

  it('has no rate for a phase without messages (C136)', () => {
    const run = buildRun();
    const problems = recordProblems({ ...run, rates: { ...run.rates, deliveredPerSecond: 12 } });
    expect(problems).toEqual(['rates: 12/s delivered in a measured phase that delivered nothing']);
  });

  it('holds verdicts against findings', () => {
    const run = buildRun({
      violations: [{ class: 'lost-acknowledged', severity: 'violation', count: 1, examples: [] }],
    });
    expect(recordProblems(run)).toEqual([]);
    expect(recordProblems({ ...run, verdict: 'valid' })[0]).toContain('although the audit found a violation');
    expect(recordProblems({ ...run, audit: { ...run.audit, verdict: 'valid' } })[0]).toContain(
      'with a violation',
    );
  });
});
