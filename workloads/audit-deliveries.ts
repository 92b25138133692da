// The consumers' half of the audit.

import { millisecond } from '../engine/base/nanos.ts';
import type { Nanos } from '../engine/base/nanos.ts';
import type { PublisherBook } from './audit-book.ts';
import type { AuditTotals, Findings } from './audit-findings.ts';
import { deliveryFlags } from './consumer-ledger.ts';
import type { ConsumerLedger } from './consumer-ledger.ts';
import { confirmationTimes } from './sequence-times.ts';
import type { SequenceTimes } from './sequence-times.ts';

/**
 * A delivery that reaches the confirming consumer later than this after the confirmation was not in flight: both came down one
 * connection in order. Its pull may well be older, since an idle consumer's pull waits at the server.
 */
const sameConnectionMarginNs: Nanos = 250 * millisecond;

export interface DeliveryAudit {
  readonly books: ReadonlyMap<number, PublisherBook>;
  readonly consumers: readonly ConsumerLedger[];
  readonly findings: Findings;
  /** Sequences already told to be corrupt or unexpected. */
  readonly badSequences: Set<number>;
}

type DeliveryTotals = Pick<AuditTotals, 'deliveredDistinct' | 'deliveredDuplicates' | 'redeliveries'>;

/** Marks what was delivered in the books, adds findings, and returns the totals. */
export function auditDeliveries(audit: DeliveryAudit): DeliveryTotals {
  let deliveredDistinct = 0;
  let deliveredDuplicates = 0;
  for (const consumer of audit.consumers) {
    for (let row = 0; row < consumer.count; row += 1) {
      const seenBefore = seeDelivery(audit, consumer, row);
      if (seenBefore === 0) deliveredDistinct += 1;
      else if (seenBefore > 0) deliveredDuplicates += 1;
    }
  }
  const redeliveries = audit.consumers.reduce((sum, consumer) => sum + consumer.redeliveries.length, 0);
  const confirmedNs = confirmationTimes(audit.consumers);
  for (const consumer of audit.consumers) checkRedeliveries(consumer, confirmedNs, audit.findings);
  return { deliveredDistinct, deliveredDuplicates, redeliveries };
}

// 0 for an id's first delivery, 1 for a later one, -1 for what is none of ours.
function seeDelivery(audit: DeliveryAudit, consumer: ConsumerLedger, row: number): number {
  const sequence = consumer.streamSequences[row] as number;
  if (((consumer.flags[row] as number) & deliveryFlags.crcRight) === 0) {
    tellBad(audit, sequence, 'corrupt-body', 'was delivered with a wrong checksum');
    return -1;
  }
  const publisher = consumer.publishers[row] as number;
  const counter = consumer.counters[row] as number;
  const book = audit.books.get(publisher);
  if (book === undefined || counter >= book.ledger.count) {
    tellBad(
      audit,
      sequence,
      'unexpected',
      `was delivered: publisher ${publisher} counter ${counter} was never sent`,
    );
    return -1;
  }
  if (book.delivered[counter] === 0) {
    book.delivered[counter] = 1;
    return 0;
  }
  audit.findings.add('duplicate-delivered', () => {
    const deliveryCount = consumer.deliveryCounts[row] as number;
    const what = `publisher ${publisher} counter ${counter}, sequence ${sequence}`;
    return `${what}: delivered again to consumer ${consumer.consumer}, delivery count ${deliveryCount}`;
  });
  return 1;
}

function tellBad(
  audit: DeliveryAudit,
  sequence: number,
  name: 'corrupt-body' | 'unexpected',
  text: string,
): void {
  if (audit.badSequences.has(sequence)) return;
  audit.badSequences.add(sequence);
  audit.findings.add(name, () => `sequence ${sequence} ${text}`);
}

function checkRedeliveries(consumer: ConsumerLedger, confirmedNs: SequenceTimes, findings: Findings): void {
  const ownConfirmedNs = confirmationTimes([consumer]);
  consumer.redeliveries.forEach((row, index) => {
    const sequence = consumer.streamSequences[row] as number;
    const confirmationNs = confirmedNs.get(sequence);
    const deliveredNs = consumer.deliveredNs[row] as number;
    const isPulledAfter = (consumer.redeliveryPulledNs[index] as number) > confirmationNs;
    const isLongAfter = deliveredNs > ownConfirmedNs.get(sequence) + sameConnectionMarginNs;
    if (!isPulledAfter && !isLongAfter) return;
    findings.add('redelivered-after-confirmed-ack', () => {
      const gap = ((deliveredNs - confirmationNs) / millisecond).toFixed(3);
      return `sequence ${sequence}: delivered again to consumer ${consumer.consumer} ${gap} ms after its ack was confirmed`;
    });
  });
}
