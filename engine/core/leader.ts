// The part of the engine that takes commands in: it fills batches, has them applied, and matches deliveries with
// the requests that wait for them. A follower has none of this.

import type { Nanos } from '../base/nanos.ts';
import { decimalLength, latin1Bytes } from '../base/bytes.ts';
import { deliverAt, headerStart, publishAt, type Batch } from './batch.ts';
import { BatchBuilder } from './batch-builder.ts';
import type { Consumer } from './consumer.ts';
import type { Delivery } from './consumer-contract.ts';
import type { DeliverySink, EngineState } from './engine-state.ts';
import type { MessageLog } from './message-log.ts';
import { PullQueue, type PullAsk, type PullStatus } from './pull-queue.ts';
import type { Stream } from './stream.ts';

/** Messages that one consumer gets out of one batch at most, so that others and new publishes get their turn. */
const deliverCountMax = 2048;
const emptyBody = new Uint8Array(0);

/** Sends a delivery to the request that it was matched with. */
export type SendDelivery = (stream: Stream, consumer: Consumer, reply: Uint8Array) => void;

export class Leader implements DeliverySink {
  readonly builder: BatchBuilder;
  readonly #state: EngineState;
  readonly #queues = new Map<Consumer, PullQueue>();
  readonly #statuses: PullStatus[] = [];
  readonly #hasInterest: (reply: Uint8Array) => boolean;
  readonly #send: SendDelivery;
  #nowNs: Nanos = 0;
  #seenGeneration = 0;
  #timerNs: Nanos = Number.POSITIVE_INFINITY;

  constructor(
    log: MessageLog,
    state: EngineState,
    hasInterest: (reply: Uint8Array) => boolean,
    send: SendDelivery,
  ) {
    this.builder = new BatchBuilder(log);
    this.#state = state;
    this.#hasInterest = hasInterest;
    this.#send = send;
    state.waitingCount = (consumer) => this.#waitingCount(consumer);
  }

  #waitingCount(consumer: Consumer): number {
    const queue = this.#queues.get(consumer);
    queue?.dropDead(this.#hasInterest);
    return queue?.length ?? 0;
  }

  /** Seals the open batch at that time; batch times never fall, whatever the clock does. */
  seal(nowNs: Nanos): Batch {
    this.#nowNs = Math.max(nowNs, this.#state.nowNs);
    return this.builder.seal(this.#nowNs);
  }

  /** A client asks a consumer for messages. The reply bytes are kept. */
  pull(stream: Stream, consumer: Consumer, reply: Uint8Array, ask: PullAsk, nowNs: Nanos): void {
    const queue = this.#queueOf(stream, consumer, nowNs);
    const status = queue.admit(reply, ask, nowNs);
    if (status !== null) this.#statuses.push(status);
    this.#timerNs = Math.min(this.#timerNs, queue.nextTimerNs());
  }

  #queueOf(stream: Stream, consumer: Consumer, nowNs: Nanos): PullQueue {
    let queue = this.#queues.get(consumer);
    if (queue === undefined) {
      queue = new PullQueue(stream, consumer, nowNs);
      this.#queues.set(consumer, queue);
      this.#timerNs = Math.min(this.#timerNs, this.#inactiveAtNs(queue));
    }
    return queue;
  }

  /** A client answered a delivery, so the consumer is in use. */
  touch(consumer: Consumer, nowNs: Nanos): void {
    const queue = this.#queues.get(consumer);
    if (queue !== undefined) queue.activeNs = nowNs;
  }

  /** Statuses to send since the last call. */
  takeStatuses(): readonly PullStatus[] {
    return this.#statuses.splice(0);
  }

  /** When `runTimers` has something to do. */
  get nextTimerNs(): Nanos {
    return this.#timerNs;
  }

  /** Expires requests, sends heartbeats, and asks for the end of consumers that nobody uses any more. */
  runTimers(nowNs: Nanos): void {
    if (nowNs < this.#timerNs) return;
    this.#timerNs = Number.POSITIVE_INFINITY;
    for (const queue of this.#queues.values()) {
      this.#statuses.push(...queue.runTimers(nowNs));
      if (this.#inactiveAtNs(queue) <= nowNs) this.#endIfUnused(queue, nowNs);
      this.#timerNs = Math.min(this.#timerNs, queue.nextTimerNs(), this.#inactiveAtNs(queue));
    }
  }

  #inactiveAtNs({ consumer, activeNs }: PullQueue): Nanos {
    const threshold = consumer.config.inactive_threshold ?? 0;
    return threshold > 0 ? activeNs + threshold : Number.POSITIVE_INFINITY;
  }

  #endIfUnused(queue: PullQueue, nowNs: Nanos): void {
    queue.dropDead(this.#hasInterest);
    queue.activeNs = nowNs; // a deletion on its way is not asked for again
    if (queue.length > 0) return;
    const name = `CONSUMER.DELETE.${queue.stream.config.name}.${queue.consumer.config.name}`;
    const subject = latin1Bytes(name);
    if (this.builder.hasRoom(this.builder.apiBytes(subject, emptyBody))) this.builder.api(subject, emptyBody);
  }

  /** After every apply: consumers that came are watched, requests to those that went are answered. */
  follow(nowNs: Nanos): void {
    if (this.#state.generation === this.#seenGeneration) return;
    this.#seenGeneration = this.#state.generation;
    for (const [consumer, queue] of this.#queues) {
      if (this.#state.consumerById(consumer.id) === consumer) continue;
      this.#statuses.push(...queue.endAll());
      this.#queues.delete(consumer);
    }
    for (const stream of this.#state.streams.values()) {
      for (const consumer of stream.consumers.values()) this.#queueOf(stream, consumer, nowNs);
    }
  }

  /** Puts into the batch what waiting requests can get now. True when there is anything. */
  dispatch(): boolean {
    let any = false;
    for (const queue of this.#queues.values()) {
      if (!this.builder.hasRoom(deliverAt.end)) return true;
      if (queue.length > 0 && this.#dispatchOne(queue)) any = true;
    }
    return any;
  }

  #dispatchOne(queue: PullQueue): boolean {
    const { consumer } = queue;
    if (consumer.availableCount > 0) queue.dropDead(this.#hasInterest);
    const wanted = queue.countsBytes ? this.#fitting(queue) : queue.wantedCount;
    const count = Math.min(wanted, consumer.availableCount, deliverCountMax);
    if (count <= 0) {
      if (consumer.availableCount === 0) this.#statuses.push(...queue.finishOneShots());
      return false;
    }
    this.builder.deliver(queue.stream.id, consumer.id, count);
    return true;
  }

  // With byte limits in play messages go one by one, so that none is delivered to a request it does not fit.
  #fitting(queue: PullQueue): number {
    const next = queue.consumer.peek();
    if (next === null) return 0;
    for (let request = queue.head(); request !== null; request = queue.head()) {
      if (request.ask.maxBytes === 0) return 1;
      if (deliveryBytes(queue.stream, queue.consumer, next) <= request.bytesLeft) return 1;
      const status = queue.rejectHead();
      if (status !== null) this.#statuses.push(status);
    }
    return 0;
  }

  /** Called by apply for each delivery: the request at the head gets it. */
  deliver(stream: Stream, consumer: Consumer): void {
    const queue = this.#queues.get(consumer);
    const request = queue?.head() ?? null;
    if (queue === undefined || request === null) return;
    this.#send(stream, consumer, request.reply);
    const byteCount = request.ask.maxBytes > 0 ? deliveryBytes(stream, consumer, consumer.delivery) : 0;
    const status = queue.served(byteCount, this.#nowNs);
    if (status !== null) this.#statuses.push(status);
  }
}

const ackSubjectFixedBytes = '$JS.ACK.'.length + 6 + 19; // the dots, and nanoseconds since 1970

/** What max_bytes counts: subject, ack subject, headers and payload (spec 6.5). */
function deliveryBytes(stream: Stream, consumer: Consumer, delivery: Readonly<Delivery>): number {
  const place = stream.place(delivery.sequence);
  if (place === null) return 0;
  const { view } = place.segment;
  const subjectBytes = headerStart(view, place.offset) - place.offset - publishAt.subject;
  const numbersBytes =
    decimalLength(delivery.sequence) +
    decimalLength(delivery.consumerSequence) +
    decimalLength(delivery.deliveryCount) +
    decimalLength(delivery.pendingCount);
  const namesBytes = stream.config.name.length + consumer.config.name.length;
  const headerBytes = view.getUint32(place.offset + publishAt.headerBytes, true);
  const payloadBytes = view.getUint32(place.offset + publishAt.payloadBytes, true);
  return subjectBytes + ackSubjectFixedBytes + namesBytes + numbersBytes + headerBytes + payloadBytes;
}
