// The replicated state machine: streams and consumers, changed by batches and by nothing else. Same batches, same
// state, on every replica and in every replay (DESIGN D1, D3).

import { assert } from '../base/assert.ts';
import type { Epoch, Nanos } from '../base/nanos.ts';
import { Prng } from '../base/prng.ts';
import {
  acknowledgeAt,
  apiAt,
  batchHeaderBytes,
  deliverAt,
  publishAt,
  recordAt,
  recordType,
  type Batch,
} from './batch.ts';
import { answerApi } from './api/answer.ts';
import type { ApiState } from './api/api-state.ts';
import { latin1Text } from '../base/bytes.ts';
import { utf8Text } from '../base/text.ts';
import type { Consumer } from './consumer.ts';
import type { DedupKind } from './dedup-window.ts';
import type { Advisory, CoreLimits, EngineContext } from './engine-context.ts';
import type { MessageLog, Segment } from './message-log.ts';
import { outcome, type Outcomes } from './outcomes.ts';
import type { Profile } from './profile.ts';
import { applyPublish } from './publish.ts';
import { Stream } from './stream.ts';
import type { StreamConfig } from './stream-config.ts';

export interface EngineStateOptions {
  readonly log: MessageLog;
  readonly profile: Profile;
  readonly limits: CoreLimits;
  readonly epoch: Epoch;
  readonly dedupKind: DedupKind;
  readonly hashSeed: number;
  readonly domain: string | null;
}

/** What apply hands over one at a time: the consumer's `delivery` is the one to send. */
export interface DeliverySink {
  deliver(stream: Stream, consumer: Consumer): void;
}

const noHashes = new Int32Array(0);

export class EngineState implements ApiState {
  readonly context: EngineContext;
  readonly streams = new Map<string, Stream>();
  /** Advisories of the last applied batch. */
  readonly advisories: Advisory[] = [];
  readonly #streamsById: (Stream | undefined)[] = [];
  readonly #consumersById: (Consumer | undefined)[] = [];
  readonly #names = new Prng('names');
  #nowNs: Nanos = 0;
  #timerNs: Nanos = Number.POSITIVE_INFINITY;
  /** Changes whenever streams, their subjects or consumers come, change or go: for caches outside. */
  generation = 0;
  /** Pull requests waiting at a consumer: the leader's knowledge, shown in consumer info. */
  waitingCount: (consumer: Consumer) => number = () => 0;

  constructor(options: EngineStateOptions) {
    this.context = {
      ...options,
      usage: { memory: 0, file: 0 },
      nextName: () => this.#nextName(),
      advise: (advisory) => {
        this.advisories.push(advisory);
      },
      timer: (dueNs) => {
        if (dueNs < this.#timerNs) this.#timerNs = dueNs;
      },
    };
  }

  /** Time of the last applied batch. */
  get nowNs(): Nanos {
    return this.#nowNs;
  }

  /** A batch must be applied no later than this, even an empty one; Infinity when nothing waits. */
  get nextTimerNs(): Nanos {
    return this.#timerNs;
  }

  streamById(id: number): Stream | undefined {
    return this.#streamsById[id];
  }

  consumerById(id: number): Consumer | undefined {
    return this.#consumersById[id];
  }

  /**
   * Carries out a batch; what became of each record is in `outcomes`. `idHashes` holds, by row, the hashes of message
   * ids where the caller has computed them already (`DedupWindow.hashOf`); rows of 0 are computed here.
   */
  apply(batch: Batch, outcomes: Outcomes, sink: DeliverySink, idHashes: Int32Array = noHashes): void {
    assert(batch.timeNs >= this.#nowNs, 'batch times never fall');
    this.#nowNs = batch.timeNs;
    this.advisories.length = 0;
    outcomes.reset(batch.recordCount);
    if (batch.timeNs >= this.#timerNs) this.#runTimers();
    const { view } = batch.segment;
    let offset = batch.startOffset + batchHeaderBytes;
    for (let row = 0; row < batch.recordCount; row += 1) {
      this.#applyRecord(batch.segment, offset, outcomes, row, sink, idHashes[row] ?? 0);
      offset += view.getUint32(offset + recordAt.length, true);
    }
    assert(offset === batch.endOffset, 'records fill their batch');
  }

  #applyRecord(
    segment: Segment,
    offset: number,
    outcomes: Outcomes,
    row: number,
    sink: DeliverySink,
    idHash: number,
  ): void {
    const type = segment.bytes[offset + recordAt.type] as number;
    switch (type) {
      case recordType.publish:
        this.#publish(segment, offset, outcomes, row, idHash);
        return;
      case recordType.acknowledge:
        this.#acknowledge(segment, offset, outcomes, row);
        return;
      case recordType.deliver:
        this.#deliver(segment, offset, sink);
        return;
      case recordType.api:
        this.#api(segment, offset, outcomes, row);
        return;
      default:
        assert(false, 'every record has a known type');
    }
  }

  #publish(segment: Segment, offset: number, outcomes: Outcomes, row: number, idHash: number): void {
    const stream = this.#streamsById[segment.view.getUint32(offset + publishAt.streamId, true)];
    if (stream === undefined) return outcomes.set(row, outcome.none, 0);
    stream.enter(this.#nowNs);
    applyPublish(this.context, stream, segment, offset, this.#nowNs, outcomes, row, idHash);
  }

  #acknowledge(segment: Segment, offset: number, outcomes: Outcomes, row: number): void {
    const { view, bytes } = segment;
    const stream = this.#streamsById[view.getUint32(offset + acknowledgeAt.streamId, true)];
    const consumer = this.#consumersById[view.getUint32(offset + acknowledgeAt.consumerId, true)];
    if (stream === undefined || consumer === undefined) return outcomes.set(row, outcome.none, 0);
    const sequence = view.getFloat64(offset + acknowledgeAt.sequence, true);
    stream.enter(this.#nowNs);
    if (this.context.profile.ignoresAckOfUndelivered && !consumer.wasDelivered(sequence)) {
      return outcomes.set(row, outcome.ignored, 0);
    }
    const reasonStart = offset + acknowledgeAt.reason;
    const reasonBytes = view.getUint32(offset + acknowledgeAt.reasonBytes, true);
    consumer.acknowledge(
      bytes[offset + acknowledgeAt.kind] as number,
      sequence,
      view.getFloat64(offset + acknowledgeAt.delayNs, true),
      reasonBytes === 0 ? '' : utf8Text(bytes, reasonStart, reasonStart + reasonBytes),
      this.#nowNs,
    );
    outcomes.set(row, outcome.done, 0);
  }

  #deliver(segment: Segment, offset: number, sink: DeliverySink): void {
    const { view } = segment;
    const stream = this.#streamsById[view.getUint32(offset + deliverAt.streamId, true)];
    const consumer = this.#consumersById[view.getUint32(offset + deliverAt.consumerId, true)];
    if (stream === undefined || consumer === undefined) return;
    stream.enter(this.#nowNs);
    for (let left = view.getUint32(offset + deliverAt.messageCount, true); left > 0; left -= 1) {
      if (!consumer.deliverNext(this.#nowNs)) return;
      sink.deliver(stream, consumer);
      consumer.sent();
    }
  }

  #api(segment: Segment, offset: number, outcomes: Outcomes, row: number): void {
    const { view, bytes } = segment;
    const subjectStart = offset + apiAt.subject;
    const bodyStart = subjectStart + view.getUint16(offset + apiAt.subjectBytes, true);
    const bodyEnd = bodyStart + view.getUint32(offset + apiAt.bodyBytes, true);
    const subject = latin1Text(bytes, subjectStart, bodyStart);
    outcomes.response.set(row, answerApi(this, subject, bytes.subarray(bodyStart, bodyEnd)));
    outcomes.set(row, outcome.done, 0);
  }

  // --- changes that the API asks for

  addStream(config: StreamConfig): Stream {
    const stream = new Stream(this.#streamsById.length, config, this.context, this.#nowNs);
    this.#streamsById.push(stream);
    this.streams.set(config.name, stream);
    this.generation += 1;
    return stream;
  }

  deleteStream(stream: Stream): void {
    for (const consumer of stream.consumers.values()) this.#consumersById[consumer.id] = undefined;
    stream.close();
    this.#streamsById[stream.id] = undefined;
    this.streams.delete(stream.config.name);
    this.generation += 1;
  }

  /** The number for the next consumer; it is taken by `registerConsumer`. */
  get nextConsumerId(): number {
    return this.#consumersById.length;
  }

  registerConsumer(consumer: Consumer): void {
    assert(consumer.id === this.#consumersById.length, 'consumer numbers are given in order');
    this.#consumersById.push(consumer);
    this.generation += 1;
  }

  deleteConsumer(stream: Stream, consumer: Consumer): void {
    stream.deleteConsumer(consumer.config.name);
    this.#consumersById[consumer.id] = undefined;
    this.generation += 1;
  }

  #runTimers(): void {
    this.#timerNs = Number.POSITIVE_INFINITY;
    for (const stream of this.streams.values()) stream.runTimers(this.#nowNs);
    for (const stream of this.streams.values()) this.context.timer(stream.nextTimerNs());
  }

  #nextName(): string {
    const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    let name = '';
    while (name.length < 8) name += letters.charAt(this.#names.int(0, letters.length - 1));
    return name;
  }
}
