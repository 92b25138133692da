// What a consumer needs of the stream it belongs to, and what it tells it.

import type { Nanos } from '../base/nanos.ts';

/** What a consumer reads of its stream. */
export interface ConsumerSource {
  readonly lastSequence: number;
  /** The first stored sequence at or behind this one, 0 when there is none. */
  nextStored(sequence: number): number;
  subjectIdOf(sequence: number): number;
  subjectName(subjectId: number): string;
}

/** Things that happen inside apply and concern others. */
export interface ConsumerEvents {
  /** The consumer will never need the message again. */
  released(sequence: number): void;
  negativelyAcknowledged(sequence: number, consumerSequence: number, deliveries: number): void;
  terminated(sequence: number, consumerSequence: number, deliveries: number, reason: string): void;
  exhausted(sequence: number, deliveries: number): void;
  /** A timer of the consumer fires no later than this. */
  timer(dueNs: Nanos): void;
}

/** One delivery, as the reply subject tells it (spec 2.5). */
export interface Delivery {
  sequence: number;
  consumerSequence: number;
  deliveryCount: number;
  /** Matching messages behind this one that were not delivered yet. */
  pendingCount: number;
}
