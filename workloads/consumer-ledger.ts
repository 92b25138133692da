// What one consumer saw and did: a log with a row for each delivery, as plain arrays that cross threads without a copy.

import type { TallyRecords } from './tally.ts';

/** Bits of a delivery. */
export const deliveryFlags = {
  /** The body's crc is right, so publisher and counter mean something. */
  crcRight: 1,
  handled: 2,
  /** The ack was sent. */
  acked: 4,
  /** The server confirmed the ack. */
  confirmed: 8,
  /** The ack was left out on purpose, or the consumer died before it. */
  ackLost: 16,
} as const;

export interface ConsumerLedger {
  readonly consumer: number;
  /** Deliveries, numbered 0 … count - 1 in order of arrival. The next arrays have one cell for each. */
  readonly count: number;
  readonly streamSequences: Float64Array;
  readonly publishers: Uint16Array;
  readonly counters: Float64Array;
  readonly deliveryCounts: Uint16Array;
  readonly flags: Uint8Array;
  /** Timestamp that the stream gave the message, of the same epoch as the read-back's; NaN when unknown. */
  readonly storedNs: Float64Array;
  readonly deliveredNs: Float64Array;
  /** When the ack left, and when its confirmation came (empty unless acks are double); 0 when it did not. */
  readonly ackedNs: Float64Array;
  readonly confirmedNs: Float64Array;
  /** Deliveries with a delivery count above 1: their number, and when the pull that brought them was issued (NaN: not known). */
  readonly redeliveries: Float64Array;
  readonly redeliveryPulledNs: Float64Array;
  readonly phases: TallyRecords;
  readonly crashCount: number;
  /** Deliveries "before" their due moment: clocks differ (case C118). They are in no histogram. */
  readonly endToEndNegativeCount: number;
}
