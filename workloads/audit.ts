// The auditor: what publishers were promised, what the stream holds and what consumers saw, held against each other. Counters
// are dense, so every lookup is an index: O(n) time, a few bytes a message, hash maps only for what went wrong.

import { assert } from '../engine/base/assert.ts';
import { millisecond } from '../engine/base/nanos.ts';
import type { Nanos } from '../engine/base/nanos.ts';
import { ends, PublisherBook } from './audit-book.ts';
import { auditDeliveries } from './audit-deliveries.ts';
import { Findings } from './audit-findings.ts';
import type { Audit, AuditTotals } from './audit-findings.ts';
import type { ConsumerLedger } from './consumer-ledger.ts';
import { outcomeMask, outcomes } from './publisher-ledger.ts';
import type { PublisherLedger } from './publisher-ledger.ts';
import { ackTimes } from './sequence-times.ts';
import { StoredTable } from './stored-table.ts';
import type { AuditPlan } from './workload.ts';

export interface AuditSetup {
  readonly plan: AuditPlan;
  /** One for each publisher number, that of the preload included. */
  readonly publishers: readonly PublisherLedger[];
  readonly consumers: readonly ConsumerLedger[];
}

/** How the trial ended. */
export interface AuditEnd {
  /** The stream's own account after the drain. */
  readonly reported: {
    readonly messages: number;
    readonly firstSequence: number;
    readonly lastSequence: number;
  };
  /** Whether `stored` was called for everything the stream holds. */
  readonly isReadComplete: boolean;
  /** Whether consumers were given everything there was before the end. */
  readonly isDrained: boolean;
  /** Further reasons not to trust the account: the target died, a worker was lost. */
  readonly reasons: readonly string[];
}

export class Auditor {
  readonly #plan: AuditPlan;
  readonly #books = new Map<number, PublisherBook>();
  readonly #consumers: readonly ConsumerLedger[];
  readonly #findings: Findings;
  readonly #table: StoredTable | null;
  /** Sequences of second and later copies, and whose they are. */
  readonly #laterCopies = new Map<number, PublisherBook>();
  readonly #laterCounters = new Map<number, number>();
  /** Sequences found to be corrupt or unexpected: told once, however often they are seen. */
  readonly #badSequences = new Set<number>();
  #lastSequence = 0;
  #storedRead = 0;
  #distinctIdsRead = 0;

  constructor({ plan, publishers, consumers }: AuditSetup) {
    this.#plan = plan;
    this.#consumers = consumers;
    this.#findings = new Findings(plan.deduplicated);
    this.#table = plan.retention === 'kept' ? null : new StoredTable();
    for (const ledger of publishers) {
      assert(!this.#books.has(ledger.publisher), `two ledgers of publisher ${ledger.publisher}`);
      this.#books.set(ledger.publisher, new PublisherBook(ledger));
    }
  }

  /**
   * A message found when the stream was read back, in ascending sequence. `storedNs` is the stream's timestamp, of the same
   * epoch as that of the deliveries; publisher and counter are the body's and mean nothing unless `crcRight`.
   */
  stored(sequence: number, storedNs: Nanos, publisher: number, counter: number, crcRight: boolean): void {
    const isAscending = sequence > this.#lastSequence;
    if (!isAscending) assert(false, `sequence ${sequence} read back after ${this.#lastSequence}`);
    this.#lastSequence = sequence;
    this.#storedRead += 1;
    if (this.#table === null) this.#see(sequence, storedNs, publisher, counter, crcRight);
    else this.#table.note(sequence, storedNs, publisher, counter, crcRight);
  }

  /** Judges. Call it once, after the last `stored`. */
  finish(end: AuditEnd): Audit {
    if (this.#table !== null) this.#seeTable(this.#table);
    const mayMiss = this.#plan.retention === 'limited' || !end.isReadComplete;
    for (const book of this.#books.values()) {
      if (!mayMiss) this.#checkSequences(book);
      for (let counter = 0; counter < book.ledger.count; counter += 1) this.#judge(book, counter, mayMiss);
      this.#checkSurplus(book);
    }
    this.#checkReported(end);
    if (this.#plan.retention === 'removed-on-ack') this.#countRefusedResends();
    const deliveries = auditDeliveries({
      books: this.#books,
      consumers: this.#consumers,
      findings: this.#findings,
      badSequences: this.#badSequences,
    });
    if (this.#plan.mustBeDelivered && end.isDrained) this.#findUndelivered();
    const totals = { ...this.#totals(end), ...deliveries };
    const reasons = this.#reasons(end, totals);
    const findings = this.#findings.list();
    if (this.#findings.hasViolation) return { verdict: 'invalid', reasons: [], findings, totals };
    return { verdict: reasons.length > 0 ? 'unknown' : 'valid', reasons, findings, totals };
  }

  #seeTable(table: StoredTable): void {
    for (const { count, streamSequences, storedNs, publishers, counters, flags } of this.#consumers) {
      for (let row = 0; row < count; row += 1) {
        const isRight = ((flags[row] as number) & 1) === 1;
        const sequence = streamSequences[row] as number;
        table.note(
          sequence,
          storedNs[row] as number,
          publishers[row] as number,
          counters[row] as number,
          isRight,
        );
      }
    }
    table.forEach((sequence, storedNs, publisher, counter, crcRight) => {
      this.#see(sequence, storedNs, publisher, counter, crcRight);
    });
  }

  #see(sequence: number, storedNs: Nanos, publisher: number, counter: number, crcRight: boolean): void {
    if (!crcRight) {
      this.#badSequences.add(sequence);
      this.#findings.add('corrupt-body', () => `sequence ${sequence}: the body's checksum is wrong`);
      return;
    }
    const book = this.#books.get(publisher);
    if (book === undefined || counter >= book.ledger.count) {
      this.#badSequences.add(sequence);
      this.#findings.add(
        'unexpected',
        () => `sequence ${sequence}: ${idText(publisher, counter)} was never sent`,
      );
      return;
    }
    this.#seeCopy(book, counter, sequence, storedNs);
  }

  #seeCopy(book: PublisherBook, counter: number, sequence: number, storedNs: Nanos): void {
    const highestBefore = book.highestSeen;
    const beforeNs = book.addCopy(counter, sequence, storedNs);
    if (!Number.isNaN(beforeNs) || (book.copyCounts[counter] as number) > 1) {
      this.#laterCopies.set(sequence, book);
      this.#laterCounters.set(sequence, counter);
      this.#addSecondCopy(book, counter, sequence, storedNs - beforeNs);
      return;
    }
    this.#distinctIdsRead += 1;
    if (!this.#plan.ordered || counter > highestBefore) return;
    this.#findings.add(
      'reordered-in-store',
      () =>
        `${idText(book.ledger.publisher, counter)} at sequence ${sequence} is stored behind counter ${highestBefore}`,
    );
  }

  // The window is half-open: a copy exactly windowNs later is legitimate. Each copy stored starts the window anew.
  #addSecondCopy(book: PublisherBook, counter: number, sequence: number, gapNs: Nanos): void {
    const isInside = gapNs < this.#plan.windowNs;
    this.#findings.add(isInside ? 'duplicate-stored-in-window' : 'duplicate-stored-after-window', () => {
      const firstSequence = book.firstSequences[counter] as number;
      const gap = `${milliseconds(gapNs)} after the copy before, window ${milliseconds(this.#plan.windowNs)}`;
      return `${idText(book.ledger.publisher, counter)} at sequences ${firstSequence} and ${sequence}, ${gap}`;
    });
  }

  #checkSequences(book: PublisherBook): void {
    const { ledger } = book;
    for (let counter = 0; counter < ledger.count; counter += 1) {
      this.#checkSequence(
        book,
        counter,
        ledger.outcomes[counter] as number,
        ledger.sequences[counter] as number,
      );
    }
    ledger.retryOutcomes.forEach((cell, row) => {
      const counter = ledger.retryCounters[row] as number;
      this.#checkSequence(book, counter, cell, ledger.retrySequences[row] as number);
    });
  }

  #checkSequence(book: PublisherBook, counter: number, cell: number, sequence: number): void {
    const outcome = cell & outcomeMask;
    if (outcome !== outcomes.stored && outcome !== outcomes.duplicate) return;
    if (book.copyCounts[counter] === 0 || book.firstSequences[counter] === sequence) return;
    if (this.#laterCopies.get(sequence) === book && this.#laterCounters.get(sequence) === counter) return;
    book.markMismatched(counter);
    this.#findings.add('ack-sequence-mismatch', () => {
      const found = `its first copy is at ${book.firstSequences[counter]}`;
      return `${idText(book.ledger.publisher, counter)}: a PubAck named sequence ${sequence}, ${found}`;
    });
  }

  #judge(book: PublisherBook, counter: number, mayMiss: boolean): void {
    const end = book.ends[counter] as number;
    const copyCount = book.copyCounts[counter] as number;
    if (copyCount === 0) {
      if (!mayMiss) this.#judgeMissing(book, counter, end);
      return;
    }
    const id = (): string => idText(book.ledger.publisher, counter);
    if (end === ends.failed) {
      this.#findings.add('aborted-visible', () => `${id()}: every attempt was refused, yet it is stored`);
    }
    const storedAckCount = book.storedAckCounts[counter] as number;
    if (!mayMiss && storedAckCount > copyCount && (end & ends.mismatched) === 0) {
      const counts = `${storedAckCount} PubAcks said stored, found ${copyCount}`;
      this.#findings.add('count-mismatch', () => `${id()}: ${counts}`);
    }
  }

  #judgeMissing(book: PublisherBook, counter: number, end: number): void {
    const id = (): string => idText(book.ledger.publisher, counter);
    if ((end & ends.stored) !== 0) {
      this.#findings.add(
        'lost-acknowledged',
        () => `${id()} (${book.partOf(counter)}): acknowledged and gone`,
      );
    } else if ((end & ends.duplicate) !== 0) {
      this.#findings.add('false-duplicate', () => `${id()}: answered duplicate, but no copy was ever stored`);
    }
  }

  #checkSurplus(book: PublisherBook): void {
    const { surplusAckCount, publisher } = book.ledger;
    if (surplusAckCount === 0) return;
    this.#findings.add(
      'count-mismatch',
      () => `publisher ${publisher}: ${surplusAckCount} PubAcks beyond one an attempt`,
    );
  }

  #checkReported({ reported, isReadComplete }: AuditEnd): void {
    if (!isReadComplete) return;
    if (reported.messages !== this.#storedRead) {
      const counts = `the stream reports ${reported.messages} messages, ${this.#storedRead} were read back`;
      this.#findings.add('count-mismatch', () => counts);
    }
    if (this.#lastSequence > reported.lastSequence) {
      const sequences = `read back up to sequence ${this.#lastSequence}, the stream reports ${reported.lastSequence} as last`;
      this.#findings.add('count-mismatch', () => sequences);
    }
  }

  // The message was consumed, acknowledged and so removed; then the same id was sent again, and the window, being a clock,
  // still answered duplicate (articles B1).
  #countRefusedResends(): void {
    const ackedNs = ackTimes(this.#consumers);
    for (const { ledger } of this.#books.values()) {
      ledger.retryOutcomes.forEach((cell, row) => {
        const sequence = ledger.retrySequences[row] as number;
        const sentNs = ledger.retrySentNs[row] as number;
        if ((cell & outcomeMask) !== outcomes.duplicate || !(ackedNs.get(sequence) < sentNs)) return;
        this.#findings.add('refused-resend', () => {
          const gap = milliseconds(sentNs - ackedNs.get(sequence));
          return `${idText(ledger.publisher, ledger.retryCounters[row] as number)}: sent again ${gap} after its ack`;
        });
      });
    }
  }

  #findUndelivered(): void {
    for (const book of this.#books.values()) {
      book.delivered.forEach((isDelivered, counter) => {
        if (isDelivered !== 0 || book.copyCounts[counter] === 0) return;
        const place = (): string =>
          `${idText(book.ledger.publisher, counter)} at sequence ${book.firstSequences[counter]}`;
        this.#findings.add('undelivered', place);
      });
    }
  }

  #totals(end: AuditEnd): Omit<AuditTotals, 'deliveredDistinct' | 'deliveredDuplicates' | 'redeliveries'> {
    const books = [...this.#books.values()];
    const isAcked = (bits: number): boolean => (bits & (ends.stored | ends.duplicate)) !== 0;
    return {
      attemptedIds: sum(books, (book) => book.ledger.count),
      acknowledgedIds: sum(books, (book) => countWhere(book.ends, isAcked)),
      storedRead: this.#storedRead,
      storedReported: end.reported.messages,
      distinctIdsRead: this.#distinctIdsRead,
      duplicateFlagged: sum(books, (book) => book.duplicateAckCount),
      leakedInWindow: this.#findings.count('duplicate-stored-in-window'),
      leakedAfterWindow: this.#findings.count('duplicate-stored-after-window'),
      lost: this.#findings.count('lost-acknowledged'),
      reordered: this.#findings.count('reordered-in-store'),
      unexpected: this.#findings.count('unexpected'),
      refusedResends: this.#findings.count('refused-resend'),
    };
  }

  #reasons(end: AuditEnd, totals: AuditTotals): string[] {
    const reasons = [...end.reasons];
    if (!end.isReadComplete) reasons.push('the read-back is incomplete');
    if (this.#plan.mustBeDelivered && !end.isDrained) reasons.push('the drain is incomplete');
    if (totals.attemptedIds === 0) {
      reasons.push('nothing was published');
    } else if (totals.acknowledgedIds === 0) {
      reasons.push(`none of ${totals.attemptedIds} ids was acknowledged`);
    }
    const unresolved = sum([...this.#books.values()], (book) =>
      countWhere(book.ends, (bits) => bits === ends.unknown),
    );
    if (unresolved * 2 > totals.attemptedIds) reasons.push(`the fate of ${unresolved} ids is unknown`);
    return reasons;
  }
}

function idText(publisher: number, counter: number): string {
  return `publisher ${publisher} counter ${counter}`;
}

function milliseconds(durationNs: Nanos): string {
  return `${(durationNs / millisecond).toFixed(3)} ms`;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function countWhere(cells: Uint8Array, isWanted: (cell: number) => boolean): number {
  let found = 0;
  for (const cell of cells) if (isWanted(cell)) found += 1;
  return found;
}
