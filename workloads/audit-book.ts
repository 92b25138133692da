// What the auditor knows of one publisher's operations: a few bytes for each, addressed by counter.

import type { Nanos } from '../engine/base/nanos.ts';
import { outcomeMask, outcomes } from './publisher-ledger.ts';
import type { PublisherLedger } from './publisher-ledger.ts';

/** What the attempts of an operation came to: one bit for each kind of end, over all attempts. */
export const ends = { stored: 1, duplicate: 2, failed: 4, unknown: 8, mismatched: 16 } as const;

const endOf: Readonly<Record<number, number>> = {
  [outcomes.open]: ends.unknown,
  [outcomes.stored]: ends.stored,
  [outcomes.duplicate]: ends.duplicate,
  [outcomes.failed]: ends.failed,
  [outcomes.unknown]: ends.unknown,
};

export class PublisherBook {
  readonly ledger: PublisherLedger;
  readonly ends: Uint8Array;
  /** PubAcks that said "stored", and copies found; both stop counting at 255. */
  readonly storedAckCounts: Uint8Array;
  readonly copyCounts: Uint8Array;
  readonly firstSequences: Float64Array;
  /** Stream timestamp of the copy stored last. */
  readonly storedNs: Float64Array;
  readonly delivered: Uint8Array;
  duplicateAckCount = 0;
  /** Lowest and highest counter found in the stream. */
  lowestSeen = Infinity;
  highestSeen = -1;

  constructor(ledger: PublisherLedger) {
    const { count } = ledger;
    this.ledger = ledger;
    this.ends = new Uint8Array(count);
    this.storedAckCounts = new Uint8Array(count);
    this.copyCounts = new Uint8Array(count);
    this.firstSequences = new Float64Array(count);
    this.storedNs = new Float64Array(count);
    this.delivered = new Uint8Array(count);
    for (let counter = 0; counter < count; counter += 1) {
      this.#enter(counter, ledger.outcomes[counter] as number);
    }
    ledger.retryOutcomes.forEach((cell, row) => this.#enter(ledger.retryCounters[row] as number, cell));
  }

  /** Notes a copy found in the stream; returns the timestamp of the copy before it, NaN for the first. */
  addCopy(counter: number, sequence: number, storedNs: Nanos): Nanos {
    const isFirst = this.copyCounts[counter] === 0;
    const beforeNs = isFirst ? Number.NaN : (this.storedNs[counter] as number);
    if (isFirst) this.firstSequences[counter] = sequence;
    this.copyCounts[counter] = Math.min(255, (this.copyCounts[counter] as number) + 1);
    this.storedNs[counter] = storedNs;
    if (counter < this.lowestSeen) this.lowestSeen = counter;
    if (counter > this.highestSeen) this.highestSeen = counter;
    return beforeNs;
  }

  markMismatched(counter: number): void {
    this.ends[counter] = (this.ends[counter] as number) | ends.mismatched;
  }

  /** Which part of what the stream holds of this publisher a missing counter belongs to: each hints at another cause. */
  partOf(counter: number): 'prefix' | 'middle' | 'postfix' {
    if (counter < this.lowestSeen) return 'prefix';
    return counter > this.highestSeen ? 'postfix' : 'middle';
  }

  #enter(counter: number, cell: number): void {
    const outcome = cell & outcomeMask;
    this.ends[counter] = (this.ends[counter] as number) | (endOf[outcome] as number);
    if (outcome === outcomes.duplicate) this.duplicateAckCount += 1;
    if (outcome === outcomes.stored) {
      this.storedAckCounts[counter] = Math.min(255, (this.storedAckCounts[counter] as number) + 1);
    }
  }
}
