// Histories of trials made up in a test: what publishers were told, what the stream holds, what consumers saw.

import { Prng } from '../../engine/base/prng.ts';
import { Auditor } from '../../workloads/audit.ts';
import type { AuditEnd } from '../../workloads/audit.ts';
import type { Audit } from '../../workloads/audit-findings.ts';
import { deliveryFlags } from '../../workloads/consumer-ledger.ts';
import type { ConsumerLedger } from '../../workloads/consumer-ledger.ts';
import { outcomes } from '../../workloads/publisher-ledger.ts';
import type { PublisherLedger } from '../../workloads/publisher-ledger.ts';
import { newTallies, tallyRecords } from '../../workloads/tally.ts';
import type { AuditPlan } from '../../workloads/workload.ts';

export interface StoredMessage {
  readonly publisher: number;
  readonly counter: number;
  readonly storedNs: number;
  readonly crcRight: boolean;
}

export interface Attempt {
  outcome: number;
  sequence: number;
  readonly sentNs: number;
}

export interface DeliveryRow {
  readonly sequence: number;
  readonly publisher: number;
  readonly counter: number;
  readonly deliveryCount: number;
  readonly atNs: number;
  readonly pulledNs: number;
  readonly ackedNs: number;
  readonly confirmedNs: number;
  readonly crcRight: boolean;
}

const phases = tallyRecords(newTallies());
const saturation = {
  saturated: false,
  windowFullCount: 0,
  windowFullNs: 0,
  unsentCount: 0,
  latenessNsP99: 0,
  latenessNsMax: 0,
};

/** A history that can be bent before it is audited. */
export class History {
  /** By publisher and counter: its attempts in order. */
  readonly attempts: Attempt[][][];
  /** By sequence. A missing sequence is a removed message. */
  readonly stream = new Map<number, StoredMessage>();
  /** By consumer. */
  readonly deliveries: DeliveryRow[][] = [];
  lastSequence = 0;
  surplusAckCount = 0;

  constructor(publisherCount: number) {
    this.attempts = Array.from({ length: publisherCount }, () => []);
  }

  store(publisher: number, counter: number, storedNs: number, crcRight = true): number {
    this.lastSequence += 1;
    this.stream.set(this.lastSequence, { publisher, counter, storedNs, crcRight });
    return this.lastSequence;
  }

  /** A new operation, stored and acknowledged at its first attempt. */
  publish(publisher: number, atNs: number): { counter: number; sequence: number } {
    const counter = (this.attempts[publisher] as Attempt[][]).length;
    const sequence = this.store(publisher, counter, atNs);
    this.attempt(publisher, counter, { outcome: outcomes.stored, sequence, sentNs: atNs });
    return { counter, sequence };
  }

  attempt(publisher: number, counter: number, attempt: Attempt): void {
    const operations = this.attempts[publisher] as Attempt[][];
    (operations[counter] ??= []).push(attempt);
  }

  deliver(sequence: number, atNs: number, part: Partial<DeliveryRow> = {}, consumer = 0): void {
    const { publisher, counter, crcRight } = this.stream.get(sequence) as StoredMessage;
    const row = {
      sequence,
      publisher,
      counter,
      crcRight,
      deliveryCount: 1,
      atNs,
      pulledNs: 0,
      ackedNs: 0,
      confirmedNs: 0,
    };
    (this.deliveries[consumer] ??= []).push({ ...row, ...part });
  }

  audit(plan: Partial<AuditPlan> = {}, end: Partial<AuditEnd> = {}): Audit {
    const usual: AuditPlan = {
      windowNs: 1000,
      retention: 'kept',
      mustBeDelivered: false,
      deduplicated: true,
      ordered: false,
    };
    const auditor = new Auditor({
      plan: { ...usual, ...plan },
      publishers: this.attempts.map((operations, publisher) =>
        publisherLedger(publisher, operations, this.surplusAckCount),
      ),
      consumers: this.deliveries.map((rows, consumer) => consumerLedger(consumer, rows, this)),
    });
    const sequences = [...this.stream.keys()].sort((left, right) => left - right);
    for (const sequence of sequences) {
      const { storedNs, publisher, counter, crcRight } = this.stream.get(sequence) as StoredMessage;
      auditor.stored(sequence, storedNs, publisher, counter, crcRight);
    }
    const reported = {
      messages: this.stream.size,
      firstSequence: sequences[0] ?? this.lastSequence + 1,
      lastSequence: this.lastSequence,
    };
    return auditor.finish({ reported, isReadComplete: true, isDrained: true, reasons: [], ...end });
  }
}

function publisherLedger(
  publisher: number,
  operations: readonly Attempt[][],
  surplusAckCount: number,
): PublisherLedger {
  const firsts = operations.map((attempts) => attempts[0] as Attempt);
  const retries = operations.flatMap((attempts, counter) =>
    attempts.slice(1).map((attempt) => ({ counter, ...attempt })),
  );
  return {
    publisher,
    count: operations.length,
    outcomes: Uint8Array.from(firsts, (attempt) => attempt.outcome),
    sequences: Float64Array.from(firsts, (attempt) => attempt.sequence),
    sentNs: Float64Array.from(firsts, (attempt) => attempt.sentNs),
    retryCounters: Float64Array.from(retries, (attempt) => attempt.counter),
    retryOutcomes: Uint8Array.from(retries, (attempt) => attempt.outcome),
    retrySequences: Float64Array.from(retries, (attempt) => attempt.sequence),
    retrySentNs: Float64Array.from(retries, (attempt) => attempt.sentNs),
    phases,
    saturation,
    abandonedCount: 0,
    lateAckCount: 0,
    surplusAckCount,
  };
}

function consumerLedger(consumer: number, rows: readonly DeliveryRow[], history: History): ConsumerLedger {
  const again = [...rows.entries()].filter(([, row]) => row.deliveryCount > 1);
  return {
    consumer,
    count: rows.length,
    streamSequences: Float64Array.from(rows, (row) => row.sequence),
    publishers: Uint16Array.from(rows, (row) => row.publisher),
    counters: Float64Array.from(rows, (row) => row.counter),
    deliveryCounts: Uint16Array.from(rows, (row) => row.deliveryCount),
    flags: Uint8Array.from(rows, (row) => (row.crcRight ? deliveryFlags.crcRight : 0)),
    storedNs: Float64Array.from(rows, (row) => history.stream.get(row.sequence)?.storedNs ?? row.atNs),
    deliveredNs: Float64Array.from(rows, (row) => row.atNs),
    ackedNs: Float64Array.from(rows, (row) => row.ackedNs),
    confirmedNs: Float64Array.from(rows, (row) => row.confirmedNs),
    redeliveries: Float64Array.from(again, ([index]) => index),
    redeliveryPulledNs: Float64Array.from(again, ([, row]) => row.pulledNs),
    phases,
    crashCount: 0,
    endToEndNegativeCount: 0,
  };
}

/** What a correct server and lossy publishers would leave behind, by a dumb simulation. */
export function cleanHistory(seed: number, windowNs: number): History {
  const prng = new Prng(seed);
  const history = new History(prng.int(1, 3));
  const knownNs = new Map<string, { readonly storedNs: number; readonly sequence: number }>();
  const waiting: { publisher: number; counter: number; atNs: number }[] = [];
  let nowNs = 1;
  for (let step = prng.int(0, 60); step > 0 || waiting.length > 0; step -= 1) {
    nowNs += prng.int(1, Math.ceil(windowNs / 4));
    const retry = step > 0 && prng.chance(0.6) ? undefined : waiting.shift();
    const publisher = retry?.publisher ?? prng.int(0, history.attempts.length - 1);
    const counter = retry?.counter ?? (history.attempts[publisher] as Attempt[][]).length;
    if (retry === undefined && step <= 0) continue;
    const attempt = serve(prng, history, knownNs, { publisher, counter, nowNs, windowNs });
    history.attempt(publisher, counter, attempt);
    const isRetried = (history.attempts[publisher]?.[counter]?.length ?? 0) < 4 && prng.chance(0.4);
    if (isRetried) waiting.push({ publisher, counter, atNs: nowNs });
  }
  return history;
}

function serve(
  prng: Prng,
  history: History,
  known: Map<string, { readonly storedNs: number; readonly sequence: number }>,
  request: {
    readonly publisher: number;
    readonly counter: number;
    readonly nowNs: number;
    readonly windowNs: number;
  },
): Attempt {
  const { publisher, counter, nowNs, windowNs } = request;
  if (prng.chance(0.1)) return { outcome: outcomes.failed, sequence: 0, sentNs: nowNs };
  if (prng.chance(0.05)) return { outcome: outcomes.unknown, sequence: 0, sentNs: nowNs }; // never arrived
  const id = `${publisher}/${counter}`;
  const before = known.get(id);
  const isDuplicate = before !== undefined && nowNs - before.storedNs < windowNs;
  const sequence = isDuplicate ? before.sequence : history.store(publisher, counter, nowNs);
  if (!isDuplicate) known.set(id, { storedNs: nowNs, sequence });
  const unheard = prng.pick([outcomes.unknown, outcomes.open]);
  if (prng.chance(0.05)) return { outcome: unheard, sequence: 0, sentNs: nowNs };
  return { outcome: isDuplicate ? outcomes.duplicate : outcomes.stored, sequence, sentNs: nowNs };
}
