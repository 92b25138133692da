// Consumer deliveries and pull statuses on the wire (spec 1.7, 2.5, 6.5).

import { latin1Bytes, type ByteRange } from '../base/bytes.ts';
import { unixTime } from '../base/nanos.ts';
import { headerStart, publishAt } from '../core/batch.ts';
import type { Consumer } from '../core/consumer.ts';
import type { EngineContext } from '../core/engine-context.ts';
import type { PullStatus } from '../core/pull-queue.ts';
import type { Stream } from '../core/stream.ts';
import { writeAckSubject } from '../wire/ack.ts';
import { FrameWriter } from '../wire/frame-writer.ts';
import {
  badRequestStatus,
  maxRequestBatchExceeded,
  maxRequestExpiresExceeded,
  maxRequestMaxBytesExceeded,
  pendingHeaders,
  statusBlock,
  statusLines,
  type StatusLine,
} from '../wire/status.ts';
import { wholeRange, type MessageRouter } from './message-router.ts';

interface MutableRange {
  bytes: Uint8Array;
  start: number;
  end: number;
}

export class DeliveryDesk {
  readonly #context: EngineContext;
  readonly #router: MessageRouter;
  readonly #ackWriter = new FrameWriter(512);
  readonly #prefixes = new WeakMap<Consumer, Uint8Array>();
  readonly #subject: MutableRange = emptyRange();
  readonly #reply: MutableRange = emptyRange();
  readonly #header: MutableRange = emptyRange();
  readonly #payload: MutableRange = emptyRange();
  readonly #message: {
    subject: ByteRange;
    reply: ByteRange;
    header: ByteRange | null;
    payload: ByteRange | null;
  };

  constructor(context: EngineContext, router: MessageRouter) {
    this.#context = context;
    this.#router = router;
    this.#message = { subject: this.#subject, reply: this.#reply, header: null, payload: null };
  }

  /** Sends the consumer's current delivery to the inbox of a request. The subject is the stored one (spec 1.7). */
  send(stream: Stream, consumer: Consumer, inbox: Uint8Array): void {
    const { delivery } = consumer;
    const place = stream.place(delivery.sequence);
    if (place === null) return;
    const { bytes, view } = place.segment;
    const headersStart = headerStart(view, place.offset);
    const payloadStart = headersStart + view.getUint32(place.offset + publishAt.headerBytes, true);
    const payloadEnd = payloadStart + view.getUint32(place.offset + publishAt.payloadBytes, true);
    setRange(this.#subject, bytes, place.offset + publishAt.subject, headersStart);
    setRange(this.#header, bytes, headersStart, payloadStart);
    setRange(this.#payload, bytes, payloadStart, payloadEnd);
    this.#writeAck(stream, consumer, place.storedNs);
    const message = this.#message;
    message.header = payloadStart > headersStart ? this.#header : null;
    message.payload = this.#payload;
    if (consumer.config.headers_only === true) this.#dropPayload(payloadEnd - payloadStart);
    this.#router.deliver(this.#router.route(inbox, 0, inbox.length), message, null);
  }

  #writeAck(stream: Stream, consumer: Consumer, storedNs: number): void {
    let prefix = this.#prefixes.get(consumer);
    if (prefix === undefined) {
      prefix = latin1Bytes(`$JS.ACK.${stream.config.name}.${consumer.config.name}.`);
      this.#prefixes.set(consumer, prefix);
    }
    const { delivery } = consumer;
    const stored = unixTime(this.#context.epoch, storedNs);
    const writer = this.#ackWriter;
    writer.length = 0;
    writeAckSubject(
      writer,
      prefix,
      delivery.deliveryCount,
      delivery.sequence,
      delivery.consumerSequence,
      stored.unixSeconds,
      stored.nanos,
      delivery.pendingCount,
    );
    setRange(this.#reply, writer.bytes, 0, writer.length);
  }

  // headers_only: the body's size takes the body's place (spec 6.1).
  #dropPayload(payloadBytes: number): void {
    const { bytes, start, end } = this.#header;
    const line = latin1Bytes(`Nats-Msg-Size: ${payloadBytes}\r\n\r\n`);
    const kept = end > start ? bytes.subarray(start, end - 2) : latin1Bytes('NATS/1.0\r\n');
    const block = new Uint8Array(kept.length + line.length);
    block.set(kept, 0);
    block.set(line, kept.length);
    this.#message.header = wholeRange(block);
    this.#message.payload = null;
  }

  sendStatuses(statuses: readonly PullStatus[]): void {
    for (const status of statuses) this.sendStatus(status.reply, statusBytes(status));
  }

  /** A status message carries the inbox itself as subject (spec 1.7). */
  sendStatus(inbox: Uint8Array, header: Uint8Array): void {
    const message = { subject: wholeRange(inbox), reply: null, header: wholeRange(header), payload: null };
    this.#router.deliver(this.#router.route(inbox, 0, inbox.length), message, null);
  }
}

/** The header block for a status, with the extra headers of spec 1.4. */
function statusBytes(status: PullStatus): Uint8Array {
  const { consumer, kind } = status;
  if (kind === 'idleHeartbeat') {
    return statusBlock(statusLines.idleHeartbeat, [
      ['Nats-Last-Consumer', String(consumer.deliveredConsumer)],
      ['Nats-Last-Stream', String(consumer.deliveredStream)],
    ]);
  }
  const showsPending =
    kind === 'requestTimeout' || kind === 'messageSizeExceedsMaxBytes' || kind === 'batchCompleted';
  const extra = showsPending ? pendingHeaders(status.pendingMessages, status.pendingBytes) : [];
  return statusBlock(lineOf(status), extra);
}

function lineOf({ kind, consumer: { config } }: PullStatus): StatusLine {
  if (kind === 'heartbeatTooLarge') return badRequestStatus('heartbeat value too large');
  if (kind === 'maxRequestBatchExceeded') return maxRequestBatchExceeded(config.max_batch ?? 0);
  if (kind === 'maxRequestExpiresExceeded') return maxRequestExpiresExceeded(config.max_expires ?? 0);
  if (kind === 'maxRequestMaxBytesExceeded') return maxRequestMaxBytesExceeded(config.max_bytes ?? 0);
  return statusLines[kind];
}

function emptyRange(): MutableRange {
  return { bytes: new Uint8Array(0), start: 0, end: 0 };
}

function setRange(range: MutableRange, bytes: Uint8Array, start: number, end: number): void {
  range.bytes = bytes;
  range.start = start;
  range.end = end;
}
