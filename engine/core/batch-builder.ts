// Encodes what one turn brings, straight from the bytes it came in, into one batch at the tail of the log
// (DESIGN D2). Rows count from 0 and are the rows of the outcomes.

import { assert } from '../base/assert.ts';
import type { Nanos } from '../base/nanos.ts';
import {
  acknowledgeAt,
  apiAt,
  batchHeaderBytes,
  deliverAt,
  publishAt,
  publishFlag,
  recordAt,
  recordType,
  sealBatch,
  type Batch,
} from './batch.ts';
import type { MessageLog, Segment } from './message-log.ts';

/** A publish as places in `bytes`: the parts a frame reader finds. */
export interface PublishParts {
  readonly bytes: Uint8Array;
  readonly subjectStart: number;
  readonly subjectEnd: number;
  readonly headerStart: number;
  readonly payloadStart: number;
  readonly payloadEnd: number;
}

const batchBytesMax = 1024 * 1024;
const loopBytesMax = 20;

export class BatchBuilder {
  readonly #log: MessageLog;
  #segment: Segment;
  #startOffset = 0;
  #recordCount = 0;
  #index = 0;
  #isOpen = false;

  constructor(log: MessageLog) {
    this.#log = log;
    this.#segment = log.tail;
  }

  get recordCount(): number {
    return this.#recordCount;
  }

  /** Whether a record of that size still goes into the open batch; if not, the batch must be sealed first. */
  hasRoom(recordBytes: number): boolean {
    if (!this.#isOpen) return true;
    const { usedBytes, bytes } = this.#segment;
    return usedBytes + recordBytes <= bytes.length && usedBytes - this.#startOffset < batchBytesMax;
  }

  /** Room that a publish takes in a batch. */
  publishBytes(parts: PublishParts): number {
    return publishAt.subject + parts.subjectEnd - parts.subjectStart + parts.payloadEnd - parts.headerStart;
  }

  /** `idStart … idEnd` is the message id inside the header block; equal when there is none. Returns the row. */
  publish(
    parts: PublishParts,
    streamId: number,
    idStart: number,
    idEnd: number,
    hasControl: boolean,
  ): number {
    const { bytes, subjectStart, subjectEnd, headerStart, payloadStart, payloadEnd } = parts;
    const offset = this.#begin(recordType.publish, this.publishBytes(parts));
    const { view } = this.#segment;
    const idBytes = idEnd - idStart;
    if (hasControl) view.setUint8(offset + recordAt.flags, publishFlag.hasControl);
    view.setUint16(offset + publishAt.subjectBytes, subjectEnd - subjectStart, true);
    view.setUint32(offset + publishAt.streamId, streamId, true);
    view.setUint32(offset + publishAt.headerBytes, payloadStart - headerStart, true);
    view.setUint32(offset + publishAt.payloadBytes, payloadEnd - payloadStart, true);
    view.setUint16(offset + publishAt.idOffset, idBytes === 0 ? 0 : idStart - headerStart, true);
    view.setUint16(offset + publishAt.idBytes, idBytes, true);
    const subjectAt = offset + publishAt.subject;
    this.#copy(bytes, subjectStart, subjectEnd, subjectAt);
    this.#copy(bytes, headerStart, payloadEnd, subjectAt + subjectEnd - subjectStart);
    return this.#recordCount - 1;
  }

  /** `kind` is one of `acknowledgeKind`; `delayNs` is 0 for none, the reason lies in `bytes`. Returns the row. */
  acknowledge(
    streamId: number,
    consumerId: number,
    sequence: number,
    kind: number,
    delayNs: Nanos,
    bytes: Uint8Array,
    reasonStart: number,
    reasonEnd: number,
  ): number {
    const reasonBytes = reasonEnd - reasonStart;
    const offset = this.#begin(recordType.acknowledge, acknowledgeAt.reason + reasonBytes);
    const { view } = this.#segment;
    view.setUint8(offset + acknowledgeAt.kind, kind);
    view.setUint32(offset + acknowledgeAt.streamId, streamId, true);
    view.setUint32(offset + acknowledgeAt.consumerId, consumerId, true);
    view.setFloat64(offset + acknowledgeAt.sequence, sequence, true);
    view.setFloat64(offset + acknowledgeAt.delayNs, delayNs, true);
    view.setUint32(offset + acknowledgeAt.reasonBytes, reasonBytes, true);
    this.#copy(bytes, reasonStart, reasonEnd, offset + acknowledgeAt.reason);
    return this.#recordCount - 1;
  }

  /** Delivers up to `messageCount` messages of a consumer. Returns the row. */
  deliver(streamId: number, consumerId: number, messageCount: number): number {
    const offset = this.#begin(recordType.deliver, deliverAt.end);
    const { view } = this.#segment;
    view.setUint32(offset + deliverAt.streamId, streamId, true);
    view.setUint32(offset + deliverAt.consumerId, consumerId, true);
    view.setUint32(offset + deliverAt.messageCount, messageCount, true);
    return this.#recordCount - 1;
  }

  /** An API call; both ranges as they came, the subject without its prefix. Returns the row. */
  api(subject: Uint8Array, body: Uint8Array): number {
    const offset = this.#begin(recordType.api, this.apiBytes(subject, body));
    const { view } = this.#segment;
    view.setUint16(offset + apiAt.subjectBytes, subject.length, true);
    view.setUint32(offset + apiAt.bodyBytes, body.length, true);
    this.#copy(subject, 0, subject.length, offset + apiAt.subject);
    this.#copy(body, 0, body.length, offset + apiAt.subject + subject.length);
    return this.#recordCount - 1;
  }

  apiBytes(subject: Uint8Array, body: Uint8Array): number {
    return apiAt.subject + subject.length + body.length;
  }

  /** Ends the batch; it may be empty, so that time alone can pass. */
  seal(nowNs: Nanos): Batch {
    if (!this.#isOpen) this.#open(0);
    this.#index += 1;
    const batch = sealBatch(this.#segment, this.#startOffset, this.#recordCount, this.#index, nowNs);
    this.#isOpen = false;
    this.#recordCount = 0;
    return batch;
  }

  #open(recordBytes: number): void {
    this.#segment = this.#log.tail;
    const bytesMin = batchHeaderBytes + recordBytes;
    if (this.#segment.usedBytes + bytesMin > this.#segment.bytes.length) {
      this.#segment = this.#log.roll(bytesMin);
    }
    this.#startOffset = this.#segment.usedBytes;
    this.#segment.usedBytes += batchHeaderBytes;
    this.#isOpen = true;
  }

  #begin(type: number, recordBytes: number): number {
    if (!this.#isOpen) this.#open(recordBytes);
    assert(this.hasRoom(recordBytes), 'a batch is sealed before it overflows');
    const segment = this.#segment;
    const offset = segment.usedBytes;
    segment.view.setUint32(offset + recordAt.length, recordBytes, true);
    segment.view.setUint16(offset + recordAt.type, type, true); // the flag byte behind it starts at 0
    segment.usedBytes = offset + recordBytes;
    this.#recordCount += 1;
    return offset;
  }

  #copy(source: Uint8Array, start: number, end: number, at: number): void {
    const { bytes } = this.#segment;
    if (end - start > loopBytesMax) {
      bytes.set(source.subarray(start, end), at);
      return;
    }
    for (let index = start; index < end; index += 1) bytes[at + index - start] = source[index] as number;
  }
}
