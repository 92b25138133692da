import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { millisecond } from '../../engine/base/nanos.ts';
import { Prng } from '../../engine/base/prng.ts';
import { auditSchema } from '../../results/run.ts';
import type { Audit, AuditClass } from '../../workloads/audit-findings.ts';
import { outcomes } from '../../workloads/publisher-ledger.ts';
import { cleanHistory, History } from './synthetic-history.ts';

const windowNs = 1000;
const ms = millisecond;

const found = (audit: Audit): Record<string, number> =>
  Object.fromEntries(audit.findings.map((finding) => [finding.class, finding.count]));

const exampleOf = (audit: Audit, name: AuditClass): string | undefined =>
  audit.findings.find((finding) => finding.class === name)?.examples[0];

/** One publisher, `count` operations stored and acknowledged. */
function published(count: number): History {
  const history = new History(1);
  for (let counter = 0; counter < count; counter += 1) history.publish(0, 10 * counter);
  return history;
}

describe('auditor', () => {
  test('accounts for every message of a clean trial', () => {
    const history = published(3);
    history.attempt(0, 1, { outcome: outcomes.duplicate, sequence: 2, sentNs: 500 });
    const audit = history.audit({ ordered: true });
    expect(audit).toEqual({
      verdict: 'valid',
      reasons: [],
      findings: [],
      totals: {
        attemptedIds: 3,
        acknowledgedIds: 3,
        storedRead: 3,
        storedReported: 3,
        distinctIdsRead: 3,
        duplicateFlagged: 1,
        leakedInWindow: 0,
        leakedAfterWindow: 0,
        lost: 0,
        reordered: 0,
        unexpected: 0,
        deliveredDistinct: 0,
        deliveredDuplicates: 0,
        redeliveries: 0,
        refusedResends: 0,
      },
    });
    expect(auditSchema.parse(audit)).toEqual(audit);
  });

  test('says which part of a publisher is missing', () => {
    const history = published(6);
    for (const sequence of [1, 4, 6]) history.stream.delete(sequence);
    const audit = history.audit();
    expect(found(audit)).toEqual({ 'lost-acknowledged': 3 });
    expect(audit.verdict).toBe('invalid');
    expect(audit.findings[0]?.examples).toEqual([
      'publisher 0 counter 0 (prefix): acknowledged and gone',
      'publisher 0 counter 3 (middle): acknowledged and gone',
      'publisher 0 counter 5 (postfix): acknowledged and gone',
    ]);
  });

  test('a second copy is the fault of the server inside the window, of the configuration from its end on', () => {
    const inside = published(2);
    inside.store(0, 0, windowNs - 1);
    expect(found(inside.audit())).toEqual({ 'duplicate-stored-in-window': 1 });
    expect(inside.audit().verdict).toBe('invalid');
    expect(exampleOf(inside.audit(), 'duplicate-stored-in-window')).toBe(
      'publisher 0 counter 0 at sequences 1 and 3, 0.001 ms after the copy before, window 0.001 ms',
    );

    const after = published(2);
    after.store(0, 0, windowNs); // half-open: case C03
    after.store(0, 0, 2 * windowNs); // each copy starts the window anew
    const audit = after.audit();
    expect(found(audit)).toEqual({ 'duplicate-stored-after-window': 2 });
    expect(audit.verdict).toBe('valid');
    expect(audit.totals).toMatchObject({
      leakedAfterWindow: 2,
      leakedInWindow: 0,
      storedRead: 4,
      distinctIdsRead: 2,
    });
  });

  test('without message ids a second copy is nobody’s fault but the configuration’s (case C99)', () => {
    const history = published(1);
    history.attempt(0, 0, { outcome: outcomes.stored, sequence: history.store(0, 0, 5), sentNs: 5 });
    const audit = history.audit({ deduplicated: false });
    expect(audit.findings).toMatchObject([
      { class: 'duplicate-stored-in-window', severity: 'configuration', count: 1 },
    ]);
    expect(audit.verdict).toBe('valid');
  });

  test('a false duplicate is silent loss', () => {
    const history = published(2);
    history.stream.delete(2);
    history.attempts[0]![1]![0]!.outcome = outcomes.duplicate;
    expect(found(history.audit())).toEqual({ 'false-duplicate': 1 });
  });

  test('an unknown attempt may be stored or not; a refused one may not', () => {
    const history = published(4);
    history.attempts[0]![0]![0]!.outcome = outcomes.unknown;
    history.attempts[0]![1]![0]!.outcome = outcomes.open;
    history.stream.delete(2);
    expect(history.audit().verdict).toBe('valid');
    history.attempts[0]![2]![0]!.outcome = outcomes.failed;
    expect(found(history.audit())).toEqual({ 'aborted-visible': 1 });
    history.attempt(0, 2, { outcome: outcomes.unknown, sequence: 0, sentNs: 40 });
    expect(history.audit().findings).toEqual([]); // the retry may have been the one that was stored
  });

  test('PubAcks must name the sequence, say "stored" once a copy, and come once an attempt', () => {
    const moved = published(3);
    moved.attempts[0]![0]![0]!.sequence = 2;
    expect(found(moved.audit())).toEqual({ 'ack-sequence-mismatch': 1 });
    expect(exampleOf(moved.audit(), 'ack-sequence-mismatch')).toBe(
      'publisher 0 counter 0: a PubAck named sequence 2, its first copy is at 1',
    );

    const twice = published(3);
    twice.attempt(0, 1, { outcome: outcomes.stored, sequence: 2, sentNs: 40 });
    expect(exampleOf(twice.audit(), 'count-mismatch')).toBe(
      'publisher 0 counter 1: 2 PubAcks said stored, found 1',
    );

    const surplus = published(3);
    surplus.surplusAckCount = 2; // case C107
    expect(exampleOf(surplus.audit(), 'count-mismatch')).toBe('publisher 0: 2 PubAcks beyond one an attempt');
  });

  test('the read-back must agree with what the stream says of itself', () => {
    const history = published(3);
    const reported = { messages: 4, firstSequence: 1, lastSequence: 2 };
    const audit = history.audit({}, { reported });
    expect(audit.findings[0]?.examples).toEqual([
      'the stream reports 4 messages, 3 were read back',
      'read back up to sequence 3, the stream reports 2 as last',
    ]);
    expect(() => {
      history.stream.clear();
      history.stream.set(Number.NaN, { publisher: 0, counter: 0, storedNs: 0, crcRight: true });
      history.audit();
    }).toThrow('read back after 0');
  });

  test('order counts for each publisher, and first copies only', () => {
    const history = new History(2);
    for (const publisher of [0, 1, 0, 1]) history.publish(publisher, 10);
    const [second, third] = [history.stream.get(1)!, history.stream.get(3)!];
    history.stream.set(1, third).set(3, second);
    history.attempts[0]![0]![0]!.sequence = 3;
    history.attempts[0]![1]![0]!.sequence = 1;
    expect(found(history.audit())).toEqual({});
    const audit = history.audit({ ordered: true });
    expect(found(audit)).toEqual({ 'reordered-in-store': 1 });
    expect(exampleOf(audit, 'reordered-in-store')).toBe(
      'publisher 0 counter 0 at sequence 3 is stored behind counter 1',
    );
  });

  test('knows what was never sent, and what is damaged', () => {
    const history = published(2);
    history.store(0, 2, 5);
    history.store(9, 0, 5);
    history.store(0, 1, 5, false);
    history.deliver(3, 50); // seen again by a consumer: not counted twice
    history.deliver(5, 50);
    expect(found(history.audit())).toEqual({ 'corrupt-body': 1, unexpected: 2 });
  });

  test('at most 32 examples, all counted', () => {
    const history = published(100);
    history.stream.clear();
    const [finding] = history.audit().findings;
    expect([finding?.count, finding?.examples.length]).toEqual([100, 32]);
  });
});

describe('auditor of deliveries', () => {
  test('everything stored must be delivered, and a second delivery is told', () => {
    const history = published(3);
    history.deliver(1, 20);
    history.deliver(1, 30, { deliveryCount: 2 }, 1);
    history.deliver(3, 40);
    const audit = history.audit({ mustBeDelivered: true });
    expect(found(audit)).toEqual({ undelivered: 1, 'duplicate-delivered': 1 });
    expect(exampleOf(audit, 'undelivered')).toBe('publisher 0 counter 1 at sequence 2');
    expect(audit.totals).toMatchObject({ deliveredDistinct: 2, deliveredDuplicates: 1, redeliveries: 1 });
    const early = history.audit({ mustBeDelivered: true }, { isDrained: false });
    expect(early).toMatchObject({ verdict: 'unknown', reasons: ['the drain is incomplete'] });
  });

  const redelivered = (pulledNs: number, atNs: number, consumer: number): Audit => {
    const history = published(1);
    history.deliver(1, 20 * ms, { ackedNs: 25 * ms, confirmedNs: 30 * ms });
    history.deliver(1, atNs, { deliveryCount: 2, pulledNs }, consumer);
    return history.audit();
  };

  test('a redelivery pulled for after the confirmed ack is a violation, one that was under way is not', () => {
    expect(found(redelivered(31 * ms, 40 * ms, 1))).toMatchObject({ 'redelivered-after-confirmed-ack': 1 });
    expect(found(redelivered(30 * ms, 40 * ms, 1))).toEqual({ 'duplicate-delivered': 1 });
    expect(found(redelivered(Number.NaN, 900 * ms, 1))).toEqual({ 'duplicate-delivered': 1 });
    expect(exampleOf(redelivered(31 * ms, 40 * ms, 1), 'redelivered-after-confirmed-ack')).toBe(
      'sequence 1: delivered again to consumer 1 10.000 ms after its ack was confirmed',
    );
  });

  test('down the same connection, long after the confirmation is after it, however old the pull', () => {
    expect(found(redelivered(5 * ms, 280 * ms, 0))).toEqual({ 'duplicate-delivered': 1 });
    expect(found(redelivered(5 * ms, 281 * ms, 0))).toMatchObject({ 'redelivered-after-confirmed-ack': 1 });
  });

  test('in a work queue, a delivery proves what the ack has removed', () => {
    const history = published(4);
    for (const sequence of [1, 2, 3]) history.deliver(sequence, 100, { ackedNs: 110, confirmedNs: 120 });
    const clean = (): Audit => history.audit({ retention: 'removed-on-ack' });
    for (const sequence of [1, 2, 3]) history.stream.delete(sequence);
    expect(clean()).toMatchObject({
      verdict: 'valid',
      findings: [],
      totals: { storedRead: 1, distinctIdsRead: 4 },
    });
    history.stream.delete(4);
    expect(found(clean())).toEqual({ 'lost-acknowledged': 1 });
  });

  test('a resend refused after its message was acked and gone is told, and one accepted after the window too', () => {
    const history = published(3);
    history.deliver(1, 100, { ackedNs: 110, confirmedNs: 120 });
    history.deliver(2, 100, { ackedNs: 110, confirmedNs: 120 });
    history.deliver(3, 100, { ackedNs: 900, confirmedNs: 910 });
    const again = history.store(0, 1, 2000);
    history.deliver(again, 2100, { ackedNs: 2110, confirmedNs: 2120 });
    history.attempt(0, 0, { outcome: outcomes.duplicate, sequence: 1, sentNs: 500 }); // refused
    history.attempt(0, 1, { outcome: outcomes.stored, sequence: again, sentNs: 2000 }); // accepted
    history.attempt(0, 2, { outcome: outcomes.duplicate, sequence: 3, sentNs: 500 }); // still there: no harm
    const audit = history.audit({ retention: 'removed-on-ack' });
    expect(found(audit)).toEqual({
      'duplicate-stored-after-window': 1,
      'duplicate-delivered': 1,
      'refused-resend': 1,
    });
    expect(audit.verdict).toBe('valid');
    expect(audit.totals).toMatchObject({ refusedResends: 1, leakedAfterWindow: 1 });
  });
});

describe('verdict unknown', () => {
  test('when the read-back is incomplete, absence proves nothing', () => {
    const history = published(3);
    history.stream.delete(2);
    expect(history.audit({}, { isReadComplete: false })).toMatchObject({
      verdict: 'unknown',
      reasons: ['the read-back is incomplete'],
      findings: [],
    });
    history.store(0, 0, 1); // but what is there still counts
    expect(history.audit({}, { isReadComplete: false }).verdict).toBe('invalid');
  });

  test('when limits may have removed messages, absence is no loss', () => {
    const history = published(3);
    history.stream.delete(1);
    expect(history.audit({ retention: 'limited' })).toMatchObject({ verdict: 'valid', findings: [] });
  });

  test('when too little is known', () => {
    expect(new History(1).audit().reasons).toEqual(['nothing was published']);
    const history = published(4);
    for (const [attempt] of history.attempts[0]!) attempt!.outcome = outcomes.unknown;
    expect(history.audit().reasons).toEqual([
      'none of 4 ids was acknowledged',
      'the fate of 4 ids is unknown',
    ]);
    expect(published(1).audit({}, { reasons: ['the target died'] })).toMatchObject({
      verdict: 'unknown',
      reasons: ['the target died'],
    });
  });
});

describe('auditor against made-up histories', () => {
  test('clean ones raise no alarm', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const history = cleanHistory(seed, windowNs);
        const audit = history.audit({ windowNs });
        const harmless = audit.findings.filter((finding) => finding.severity === 'violation');
        expect(harmless).toEqual([]);
        expect(audit.verdict).not.toBe('invalid');
        const { leakedAfterWindow, distinctIdsRead, storedRead } = audit.totals;
        expect(distinctIdsRead + leakedAfterWindow).toBe(storedRead);
      }),
      { numRuns: 1500 },
    );
  });

  /** Each bends the history of one operation of its own, which was stored and acknowledged at its first attempt. */
  const faults: Partial<Record<AuditClass, (history: History, counter: number, sequence: number) => void>> = {
    'lost-acknowledged': (history, _, sequence) => history.stream.delete(sequence),
    'duplicate-stored-in-window': (history, counter, sequence) =>
      history.store(0, counter, history.stream.get(sequence)!.storedNs + windowNs - 1),
    'duplicate-stored-after-window': (history, counter, sequence) =>
      history.store(0, counter, history.stream.get(sequence)!.storedNs + windowNs),
    'false-duplicate': (history, counter, sequence) => {
      history.stream.delete(sequence);
      history.attempts[0]![counter]![0]!.outcome = outcomes.duplicate;
    },
    'ack-sequence-mismatch': (history, counter) => {
      history.attempts[0]![counter]![0]!.sequence += 1e6;
    },
    'aborted-visible': (history, counter) => {
      history.attempts[0]![counter]![0]!.outcome = outcomes.failed;
    },
    unexpected: (history, counter) => history.store(0, 1e6 + counter, 0),
    'corrupt-body': (history, counter) => history.store(0, counter, 0, false),
    'count-mismatch': (history, counter, sequence) =>
      history.attempt(0, counter, { outcome: outcomes.stored, sequence, sentNs: 0 }),
  };

  test('planted faults are found, each in its class and as often as planted', () => {
    const names = Object.keys(faults) as AuditClass[];
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.constantFrom(...names), { maxLength: 12 }), (seed, planted) => {
        const history = cleanHistory(seed, windowNs);
        const before = found(history.audit({ windowNs }));
        const operations = planted.map(() => history.publish(0, new Prng(seed).int(0, 1e6)));
        history.publish(0, 0); // so that a loss is never all there is
        planted.forEach((name, index) => {
          const { counter, sequence } = operations[index]!;
          faults[name]!(history, counter, sequence);
        });
        const expected: Record<string, number> = { ...before };
        for (const name of planted) expected[name] = (expected[name] ?? 0) + 1;
        expect(found(history.audit({ windowNs }))).toEqual(expected);
      }),
      { numRuns: 800 },
    );
  });
});
