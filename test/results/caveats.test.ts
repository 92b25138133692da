import { describe, expect, it } from 'vitest';
import {
  ackWaitCaveat,
  caveat,
  type CaveatFacts,
  clockCaveat,
  horizonCaveat,
  latenessCaveat,
  loadCaveat,
  rateCaveat,
} from '../../results/caveats.ts';
import { caveatSchema } from '../../results/run.ts';

const everyKind: readonly CaveatFacts[] = [
  { kind: 'generator-saturated', latenessNsP99: 2e6, inFlightMax: 4096, missedCount: 120 },
  { kind: 'lateness-high', latenessNsP99: 2e6, responseNsP99: 3e6 },
  { kind: 'too-few-samples', sampleCount: 200, fraction: 0.999 },
  { kind: 'threads-outnumber-cores', threadCount: 4, coreCount: 2 },
  { kind: 'rate-not-reached', askedPerSecond: 14_000, reachedPerSecond: 3592 },
  { kind: 'clock-cross-check-failed', ownPerSecond: 1000, streamPerSecond: 900 },
  { kind: 'send-before-start', earlyNs: 1200, earlyCount: 1 },
  { kind: 'no-message-ids', windowNs: 600e9 },
  { kind: 'stream-captures-own-acks', subject: '_INBOX.>' },
  { kind: 'ack-wait-below-handling', ackWaitNs: 30e9, handlingNsP99: 31e9, prefetch: 1 },
  { kind: 'machine-busy', loadAverage: 3.4, coreCount: 2 },
  { kind: 'running-from-source' },
  { kind: 'window-shorter-than-horizon', windowNs: 300e9, horizonNs: 600e9 },
  { kind: 'read-back-incomplete', readCount: 10, reportedCount: 12 },
  { kind: 'partial', doneFraction: 0.4 },
  { kind: 'broken-record', problems: ['totals: sent 1 is not 2'] },
];

describe('caveats', () => {
  it('says what was seen, with its numbers, and the next step', () => {
    expect(caveat({ kind: 'rate-not-reached', askedPerSecond: 14_000, reachedPerSecond: 3592 })).toEqual({
      kind: 'rate-not-reached',
      severity: 'invalid',
      message:
        'reached 25.7 % of the asked rate (3.59 k/s of 14 k/s); ' +
        'its latencies say nothing about that rate: ask for less',
    }); // C133
  });

  it.each(everyKind)('gives $kind as the record stores it', (facts) => {
    const stored = caveatSchema.parse(caveat(facts));
    expect(stored.kind).toBe(facts.kind);
    expect(stored.message).not.toMatch(/undefined|NaN|null/);
  });

  it('invalidates what must not be used, and only that', () => {
    const invalid = everyKind
      .filter((facts) => caveat(facts).severity === 'invalid')
      .map((facts) => facts.kind);
    expect(invalid).toEqual([
      'generator-saturated',
      'lateness-high',
      'rate-not-reached',
      'clock-cross-check-failed',
      'send-before-start',
      'stream-captures-own-acks',
      'read-back-incomplete',
      'broken-record',
    ]);
  });

  it('weighs lateness by its share of the response time', () => {
    expect(latenessCaveat(5e3, 100e3)).toBeNull();
    expect(latenessCaveat(20e3, 100e3)?.severity).toBe('warning');
    expect(latenessCaveat(60e3, 100e3)?.severity).toBe('invalid');
    expect(latenessCaveat(null, 100e3)).toBeNull();
  });

  it.each([
    [120, 2e6, 'generator saturated: 120 operations could not start when due, sends 2 ms late at p99, with'],
    [0, 2e6, 'generator saturated: sends 2 ms late at p99, with'],
    [0, null, 'generator saturated: it set the pace, with at most 4\u202f096 open'],
  ])('tells saturation with %i missed and %s ns late', (missedCount, latenessNsP99, start) => {
    const { message } = caveat({
      kind: 'generator-saturated',
      latenessNsP99,
      inFlightMax: 4096,
      missedCount,
    });
    expect(message).toContain(start);
  });

  it('tells how unsafe a window is (C26)', () => {
    expect(horizonCaveat(300e9, 600e9)?.message).toContain('unsafe by 5 m');
    expect(horizonCaveat(120e9, 90e9)).toBeNull();
  });

  it('compares a whole pull with AckWait (C100)', () => {
    expect(ackWaitCaveat(30e9, 31e9, 1)?.message).toContain('they will be redelivered');
    expect(ackWaitCaveat(30e9, 30e6, 1000)).toBeNull(); // 30 s / 1000 = 30 ms: the budget itself
    expect(ackWaitCaveat(30e9, 31e6, 1000)).not.toBeNull();
    expect(ackWaitCaveat(60e9, 600e6, 100)).toBeNull();
  });

  it('warns that a window without ids deduplicates nothing (C99)', () => {
    expect(caveat({ kind: 'no-message-ids', windowNs: 600e9 }).message).toContain(
      '10 m is configured and 0 %',
    );
  });

  it('allows our clock and the stream 2 % of difference', () => {
    expect(clockCaveat(1019, 1000)).toBeNull();
    expect(clockCaveat(1021, 1000)?.kind).toBe('clock-cross-check-failed');
    expect(clockCaveat(null, 1000)).toBeNull();
  });

  it('lets 2 % of the rate go and half of the cores be busy', () => {
    expect(rateCaveat(1000, 981)).toBeNull();
    expect(rateCaveat(1000, 979)?.severity).toBe('invalid');
    expect(loadCaveat(0.9, 2)).toBeNull();
    expect(loadCaveat(1.1, 2)?.severity).toBe('warning');
  });
});
