import type { Nanos } from '../engine/base/nanos.ts';
import type { ConsumerLedger } from './consumer-ledger.ts';

/** One moment for each stream sequence; Infinity where there is none. The earliest wins. */
export class SequenceTimes {
  #cells = new Float64Array(1024).fill(Infinity);

  get(sequence: number): Nanos {
    return this.#cells[sequence] ?? Infinity;
  }

  /** Times of 0 mean "never" in a ledger and are left out. */
  note(sequence: number, atNs: Nanos): void {
    if (!(atNs > 0)) return;
    if (sequence >= this.#cells.length) this.#grow(sequence);
    if (atNs < (this.#cells[sequence] as number)) this.#cells[sequence] = atNs;
  }

  #grow(sequence: number): void {
    const larger = new Float64Array(Math.max(sequence + 1, this.#cells.length * 2)).fill(Infinity);
    larger.set(this.#cells);
    this.#cells = larger;
  }
}

/** When each message's double ack was confirmed, by any of the consumers. */
export function confirmationTimes(consumers: readonly ConsumerLedger[]): SequenceTimes {
  return timesOf(consumers, (consumer) => consumer.confirmedNs);
}

/** When each message's ack was sent first, by any of the consumers. */
export function ackTimes(consumers: readonly ConsumerLedger[]): SequenceTimes {
  return timesOf(consumers, (consumer) => consumer.ackedNs);
}

function timesOf(
  consumers: readonly ConsumerLedger[],
  column: (consumer: ConsumerLedger) => Float64Array,
): SequenceTimes {
  const times = new SequenceTimes();
  for (const consumer of consumers) {
    column(consumer).forEach((atNs, row) => times.note(consumer.streamSequences[row] as number, atNs));
  }
  return times;
}
