// How a batch lies in the log: a 64-byte header, then records end to end, all little endian. One batch is one
// Raft entry, one append, one apply (DESIGN D2). Each record opens with its length, its type and a flag byte.

import type { Nanos } from '../base/nanos.ts';
import type { Segment } from './message-log.ts';

export const batchHeaderBytes = 64;

/** Offsets in the batch header. Checksums, chain and term are written where the log goes to disk. */
const headerAt = { magic: 0, bodyBytes: 4, recordCount: 8, index: 12, timeNs: 20 } as const;
const magic = 0x6b6d636f;

export const recordType = { publish: 1, acknowledge: 2, deliver: 3, api: 4 } as const;

/** Offsets common to all records. */
export const recordAt = { length: 0, type: 4, flags: 5 } as const;

/** A publish: fixed part, then subject, header block and payload. */
export const publishAt = {
  subjectBytes: 6, // u16
  streamId: 8, // u32
  headerBytes: 12, // u32
  payloadBytes: 16, // u32
  idOffset: 20, // u16, from the start of the header block
  idBytes: 22, // u16
  subject: 24,
} as const;
export const publishFlag = { hasControl: 1 } as const;

/** A consumer's answer to a delivery. */
export const acknowledgeAt = {
  kind: 6, // u8
  streamId: 8, // u32
  consumerId: 12, // u32
  sequence: 16, // f64
  delayNs: 24, // f64; NaN when none was given
  reasonBytes: 32, // u32
  reason: 36,
} as const;
export const acknowledgeKind = { ack: 1, nak: 2, progress: 3, terminate: 4 } as const;

/** Deliver the next messages of a consumer: which ones is decided at apply, alike on all replicas. */
export const deliverAt = { streamId: 8, consumerId: 12, messageCount: 16, end: 20 } as const;

/** A JetStream API request that changes state: subject and JSON body as they came. */
export const apiAt = { subjectBytes: 6, bodyBytes: 8, subject: 12 } as const;

export interface Batch {
  readonly segment: Segment;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly recordCount: number;
  readonly index: number;
  readonly timeNs: Nanos;
}

/** Writes the header of a finished batch and tells what is in it. */
export function sealBatch(
  segment: Segment,
  startOffset: number,
  recordCount: number,
  index: number,
  timeNs: Nanos,
): Batch {
  const { view } = segment;
  view.setUint32(startOffset + headerAt.magic, magic, true);
  view.setUint32(startOffset + headerAt.bodyBytes, segment.usedBytes - startOffset - batchHeaderBytes, true);
  view.setUint32(startOffset + headerAt.recordCount, recordCount, true);
  view.setFloat64(startOffset + headerAt.index, index, true);
  view.setFloat64(startOffset + headerAt.timeNs, timeNs, true);
  return { segment, startOffset, endOffset: segment.usedBytes, recordCount, index, timeNs };
}

/** Where the header block of the publish record at `offset` begins. */
export function headerStart(view: DataView, offset: number): number {
  return offset + publishAt.subject + view.getUint16(offset + publishAt.subjectBytes, true);
}
