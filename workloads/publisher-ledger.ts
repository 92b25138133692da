// What one publisher did, as plain arrays that cross threads without a copy and that the auditor reads.

import type { Nanos } from '../engine/base/nanos.ts';
import type { TallyRecords } from './tally.ts';

/** How an attempt ended, as the driver was told. `open`: it was not, by the end of the trial. */
export const outcomes = { open: 0, stored: 1, duplicate: 2, failed: 3, unknown: 4 } as const;
/** stored 1 | duplicate 2 | failed 3 (definite: nothing was stored) | unknown 4. */
export type Outcome = 1 | 2 | 3 | 4;

/** Low bits of an outcome cell. */
export const outcomeMask = 0x07;
/** The PubAck was thrown away on purpose. */
export const discardedFlag = 0x08;
/** On the first attempt's cell: the publisher believes the operation done, thanks to this or a later attempt. */
export const believedFlag = 0x10;

export interface Saturation {
  /** True when the numbers below say that the generator, not the target, set the pace. */
  readonly saturated: boolean;
  /** Times that a due operation found the open loop's window full, and how long such times lasted. */
  readonly windowFullCount: number;
  readonly windowFullNs: Nanos;
  /** Operations due by the end of the measured phase and never sent. */
  readonly unsentCount: number;
  /** Of the measured phase; NaN when nothing was sent in it. */
  readonly latenessNsP99: Nanos;
  readonly latenessNsMax: Nanos;
}

export interface PublisherLedger {
  readonly publisher: number;
  /** First attempts made: counters 0 … count - 1. The next three arrays have one cell for each. */
  readonly count: number;
  readonly outcomes: Uint8Array;
  /** Sequence in the PubAck, 0 without one. */
  readonly sequences: Float64Array;
  readonly sentNs: Float64Array;
  /** Second and later attempts, in the order they were sent. */
  readonly retryCounters: Float64Array;
  readonly retryOutcomes: Uint8Array;
  readonly retrySequences: Float64Array;
  readonly retrySentNs: Float64Array;
  readonly phases: TallyRecords;
  readonly saturation: Saturation;
  /** Operations given up without a PubAck that the publisher believed, attempts exhausted or the retry horizon reached. */
  readonly abandonedCount: number;
  /** PubAcks of attempts that had timed out already, and PubAcks beyond the first of an attempt (case C107). */
  readonly lateAckCount: number;
  readonly surplusAckCount: number;
}

/** Buffers to hand over with a ledger when it is posted to another thread. */
export function transferList(ledger: object): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  collectBuffers(ledger, buffers);
  return [...buffers];
}

function collectBuffers(value: unknown, into: Set<ArrayBuffer>): void {
  if (typeof value !== 'object' || value === null) return;
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.buffer.byteLength > 0) into.add(value.buffer);
    return;
  }
  for (const inner of Object.values(value)) collectBuffers(inner, into);
}
