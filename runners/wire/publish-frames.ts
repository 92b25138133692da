import { assert } from '../../engine/base/assert.ts';
import { latin1Bytes } from '../../engine/base/bytes.ts';
import {
  messageIdTemplate,
  payloadTemplate,
  writeBodyId,
  writeMessageIdCounter,
} from '../../workloads/operation-id.ts';
import type { IdHeader } from '../../workloads/workload.ts';
import { laneDigits } from './reply-lanes.ts';

const batchBytesMax = 64 * 1024;
/** Never a header of JetStream's, and as long as Nats-Msg-Id: what the id costs shows as the difference. */
export const controlHeader = 'Once-Msg-Id';

export interface PublishFrameShape {
  readonly subject: string;
  /** Reply subjects are this, a dot and the lane. */
  readonly inbox: string;
  readonly idHeader: IdHeader;
  readonly idLength: number;
  readonly payloadBytes: number;
  readonly publisher: number;
  /** Keeps the message ids of two trials apart. */
  readonly trialKey: string;
  readonly seed: string;
}

const spareBatchesMax = 64;

/**
 * Publishes of one publisher, all of one length, built in place: a batch starts as copies of the same frame, and
 * only the digits of lane, message id and body id are written for each message. Batches whose bytes have left come
 * back through `recycle`, frames and all, so that nothing is copied either.
 */
export class PublishFrames {
  readonly frameBytes: number;
  /** Publishes that fit a batch of 64 KB; at least one. */
  readonly batchCount: number;
  count = 0;
  #batch: Uint8Array;
  readonly #spares: Uint8Array[] = [];
  readonly #frame: Uint8Array;
  readonly #publisher: number;
  readonly #laneAt: number;
  readonly #idEnd: number; // 0 without a header
  readonly #bodyAt: number;

  constructor(shape: PublishFrameShape) {
    const frame = frameTemplate(shape);
    this.frameBytes = frame.bytes.length;
    this.batchCount = Math.max(1, Math.floor(batchBytesMax / this.frameBytes));
    this.#frame = frame.bytes;
    this.#batch = this.#newBatch();
    this.#publisher = shape.publisher;
    this.#laneAt = frame.laneAt;
    this.#idEnd = frame.idEnd;
    this.#bodyAt = frame.bodyAt;
  }

  get isFull(): boolean {
    return this.count === this.batchCount;
  }

  add(lane: number, counter: number, attemptOfId: number, dueNs: number): void {
    assert(this.count < this.batchCount, 'the batch is full');
    const batch = this.#batch;
    const base = this.count * this.frameBytes;
    writeLane(batch, base + this.#laneAt, lane);
    if (this.#idEnd > 0) writeMessageIdCounter(batch, base + this.#idEnd, counter);
    writeBodyId(batch, base + this.#bodyAt, this.#publisher, counter, attemptOfId, dueNs);
    this.count += 1;
  }

  /** The publishes added since the last call; the next ones go into another batch. */
  take(): Uint8Array {
    const taken = this.#batch.subarray(0, this.count * this.frameBytes);
    this.#batch = this.#spares.pop() ?? this.#newBatch();
    this.count = 0;
    return taken;
  }

  /** The same as a copy, for a transport that never gives memory back. */
  takeCopy(): Uint8Array {
    const taken = this.#batch.slice(0, this.count * this.frameBytes);
    this.count = 0;
    return taken;
  }

  /** Gives back bytes that `take` gave out and nobody reads any more; others are ignored. */
  recycle(taken: Uint8Array): void {
    if (taken.buffer.byteLength !== this.batchCount * this.frameBytes) return;
    if (taken.byteOffset === 0 && this.#spares.length < spareBatchesMax) {
      this.#spares.push(new Uint8Array(taken.buffer as ArrayBuffer));
    }
  }

  #newBatch(): Uint8Array {
    const batch = new Uint8Array(this.batchCount * this.frameBytes);
    for (let index = 0; index < this.batchCount; index += 1) batch.set(this.#frame, index * this.frameBytes);
    return batch;
  }
}

/** The lane in a subject that ends at `end`, or -1 when those five bytes are not digits. */
export function readLane(bytes: Uint8Array, end: number): number {
  let lane = 0;
  for (let at = end - laneDigits; at < end; at += 1) {
    const digit = (bytes[at] as number) - 48;
    if (digit < 0 || digit > 9) return -1;
    lane = lane * 10 + digit;
  }
  return lane;
}

export function writeLane(bytes: Uint8Array, at: number, lane: number): void {
  let rest = lane;
  for (let digit = at + laneDigits - 1; digit >= at; digit -= 1) {
    const quotient = (rest / 10) | 0;
    bytes[digit] = 48 + rest - quotient * 10;
    rest = quotient;
  }
}

interface FrameTemplate {
  readonly bytes: Uint8Array;
  readonly laneAt: number;
  readonly idEnd: number;
  readonly bodyAt: number;
}

function frameTemplate(shape: PublishFrameShape): FrameTemplate {
  const header = headerTemplate(shape);
  const start = `${header.length === 0 ? 'PUB' : 'HPUB'} ${shape.subject} ${shape.inbox}.`;
  const sizes =
    header.length === 0
      ? ` ${shape.payloadBytes}\r\n`
      : ` ${header.length} ${header.length + shape.payloadBytes}\r\n`;
  const line = latin1Bytes(`${start}${'0'.repeat(laneDigits)}${sizes}`);
  const payload = payloadTemplate(shape.seed, shape.payloadBytes);
  const bodyAt = line.length + header.length;
  const bytes = new Uint8Array(bodyAt + payload.length + 2);
  bytes.set(line);
  bytes.set(header, line.length);
  bytes.set(payload, bodyAt);
  bytes.set(latin1Bytes('\r\n'), bodyAt + payload.length);
  return { bytes, laneAt: start.length, idEnd: header.length === 0 ? 0 : bodyAt - 4, bodyAt };
}

function headerTemplate(shape: PublishFrameShape): Uint8Array {
  if (shape.idHeader === 'none') return new Uint8Array(0);
  const name = shape.idHeader === 'message-id' ? 'Nats-Msg-Id' : controlHeader;
  const before = latin1Bytes(`NATS/1.0\r\n${name}: `);
  const id = messageIdTemplate(shape.trialKey, shape.idLength, shape.publisher);
  const header = new Uint8Array(before.length + id.length + 4);
  header.set(before);
  header.set(id, before.length);
  header.set(latin1Bytes('\r\n\r\n'), before.length + id.length);
  return header;
}
