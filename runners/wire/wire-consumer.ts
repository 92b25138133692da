import { assert } from '../../engine/base/assert.ts';
import { latin1Bytes } from '../../engine/base/bytes.ts';
import { emptyAckSubject, readAckSubject } from '../../engine/wire/ack-subject.ts';
import { FrameWriter } from '../../engine/wire/frame-writer.ts';
import type { MessageFrame } from '../../engine/wire/server-frames.ts';
import type { ConsumerDriver, ConsumerHandler } from '../../workloads/consumer-driver.ts';
import { readBodyId } from '../../workloads/operation-id.ts';
import { connectionLost } from '../trial-errors.ts';
import type { ErrorCounts } from '../trial-errors.ts';
import type { LoadMember } from '../trial-load.ts';
import { readLane, writeLane } from './publish-frames.ts';
import { PullSlots } from './pull-slots.ts';
import { ExactLanes, laneDigits } from './reply-lanes.ts';
import type { WireConnection } from './wire-connection.ts';

const confirmTimeoutNs = 5e9;
const housekeepingNs = 1e8;
const ackSubjectBytesMax = 256;
const slotCount = 2;
const ackStart = latin1Bytes('PUB ');
const ackEnd = latin1Bytes(' 4\r\n+ACK\r\n');

export interface WireConsumerParts {
  readonly connection: WireConnection;
  readonly driver: ConsumerDriver;
  readonly stream: string;
  readonly consumer: string;
  /** Messages asked for in one pull: bounds what waits here. */
  readonly prefetch: number;
  readonly errors: ErrorCounts;
  readonly nowNs: () => number;
  readonly wakeBy: (atNs: number) => void;
  /** Whole seconds since 1970 that stream timestamps are counted from. */
  readonly epochSeconds: number;
}

/** One pull consumer on one connection: hands deliveries to its driver, and sends the acks that it decides on in batches. */
export class WireConsumer implements LoadMember, ConsumerHandler {
  readonly #parts: WireConsumerParts;
  readonly #driver: ConsumerDriver;
  readonly #connection: WireConnection;
  readonly #pulls: PullSlots;
  readonly #writer = new FrameWriter();
  readonly #confirms = new ExactLanes();
  readonly #confirmSubject: Uint8Array;
  readonly #ack = emptyAckSubject();
  // Ack subjects of deliveries that wait, by delivery number.
  readonly #ackSubjects: Uint8Array;
  readonly #ackLengths: Uint16Array;
  readonly #ringMask: number;
  #frame: MessageFrame | null = null;
  #frameDelivery = -1;
  #chunkNs = 0;
  #nextHousekeepingNs = 0;
  #isStarted = false;
  #isStopped = false;

  constructor(parts: WireConsumerParts) {
    this.#parts = parts;
    this.#driver = parts.driver;
    this.#connection = parts.connection;
    const ringLength = 2 ** Math.ceil(Math.log2((slotCount + 1) * parts.prefetch + 1));
    this.#ringMask = ringLength - 1;
    this.#ackSubjects = new Uint8Array(ringLength * ackSubjectBytesMax);
    this.#ackLengths = new Uint16Array(ringLength);
    this.#confirmSubject = latin1Bytes(` ${parts.connection.inbox}.c.${'0'.repeat(laneDigits)}`);
    this.#connection.onChunk(
      () => {
        this.#chunkNs = parts.nowNs();
      },
      () => this.#finishTurn(parts.nowNs()),
    );
    this.#connection.onClose((error) => parts.errors.count(`${connectionLost}: ${error.message}`));
    this.#connection.onWritten((bytes) => this.#writer.recycle(bytes));
    this.#connection.subscribe(`${parts.connection.inbox}.c.*`, (frame) => this.#confirm(frame));
    this.#pulls = new PullSlots(
      parts.connection,
      { stream: parts.stream, consumer: parts.consumer, slotCount },
      (frame) => this.#deliver(frame),
      (status) => this.#endPulls(status),
    );
  }

  wakeNs(): number {
    if (this.#connection.error !== null || this.#isStopped) return Infinity;
    return this.#isStarted ? Math.min(this.#driver.wakeNs(), this.#nextHousekeepingNs) : 0;
  }

  step(nowNs: number): void {
    this.#isStarted = true;
    this.#driver.step(nowNs, this);
    if (nowNs >= this.#nextHousekeepingNs) {
      this.#nextHousekeepingNs = nowNs + housekeepingNs;
      this.#pulls.expire(nowNs);
      this.#confirms.expire(nowNs - confirmTimeoutNs, () =>
        this.#parts.errors.count('a double ack was not confirmed in time'),
      );
    }
    this.#finishTurn(nowNs);
  }

  isDone(): boolean {
    return this.#isStopped || this.#connection.error !== null;
  }

  stop(): void {
    this.#isStopped = true;
  }

  close(): void {
    this.#connection.close();
  }

  acknowledge(delivery: number, isDouble: boolean): void {
    const writer = this.#writer;
    writer.copy(ackStart, 0, ackStart.length);
    const frame = this.#frame;
    if (frame !== null && delivery === this.#frameDelivery) {
      writer.copy(frame.bytes, frame.replyStart, frame.replyEnd);
    } else {
      const start = (delivery & this.#ringMask) * ackSubjectBytesMax;
      writer.copy(this.#ackSubjects, start, start + (this.#ackLengths[delivery & this.#ringMask] as number));
    }
    if (isDouble) this.#writeConfirmSubject(delivery);
    writer.copy(ackEnd, 0, ackEnd.length);
  }

  crash(): void {
    this.#pulls.close();
  }

  restart(): void {
    this.#pulls.open();
  }

  #deliver(frame: MessageFrame): void {
    const ack = this.#ack;
    if (!readAckSubject(frame.bytes, frame.replyStart, frame.replyEnd, ack)) {
      this.#parts.errors.count('a delivery without an ack subject');
      return;
    }
    const { incoming } = this.#driver;
    const payloadBytes = frame.payloadEnd - frame.payloadStart;
    incoming.crcRight = readBodyId(frame.bytes, frame.payloadStart, payloadBytes, incoming);
    if (!incoming.crcRight) incoming.dueNs = Number.NaN;
    incoming.payloadBytes = payloadBytes;
    incoming.streamSequence = ack.streamSequence;
    incoming.deliveryCount = ack.deliveryCount;
    incoming.storedNs = (ack.unixSeconds - this.#parts.epochSeconds) * 1e9 + ack.nanos;
    const delivery = this.#driver.deliver(this.#chunkNs);
    if (delivery < 0) return;
    this.#frame = frame;
    this.#frameDelivery = delivery;
    if (this.#driver.wakeNs() <= this.#chunkNs) this.#driver.step(this.#chunkNs, this);
    this.#frame = null;
    if (this.#driver.bufferedCount > 0) this.#keepAckSubject(delivery, frame);
  }

  #keepAckSubject(delivery: number, frame: MessageFrame): void {
    const length = frame.replyEnd - frame.replyStart;
    assert(length <= ackSubjectBytesMax, `an ack subject of ${length} bytes`);
    assert(this.#driver.bufferedCount <= this.#ringMask, 'more deliveries wait than were asked for');
    const cell = delivery & this.#ringMask;
    this.#ackSubjects.set(frame.bytes.subarray(frame.replyStart, frame.replyEnd), cell * ackSubjectBytesMax);
    this.#ackLengths[cell] = length;
  }

  #writeConfirmSubject(delivery: number): void {
    const lane = this.#confirms.open(delivery, this.#chunkNs);
    if (lane < 0) {
      this.#parts.errors.count('no reply lane left: the ack was sent without asking for its confirmation');
      return;
    }
    writeLane(this.#confirmSubject, this.#confirmSubject.length - laneDigits, lane);
    this.#writer.copy(this.#confirmSubject, 0, this.#confirmSubject.length);
  }

  #confirm(frame: MessageFrame): void {
    const lane = readLane(frame.bytes, frame.subjectEnd);
    const delivery = lane < 0 ? -1 : this.#confirms.close(lane);
    if (delivery < 0) this.#parts.errors.count('a confirmation of an ack that was given up or never sent');
    else if (frame.status === 0) this.#driver.confirmed(delivery, this.#chunkNs);
    else this.#parts.errors.count(`a double ack was answered with status ${frame.status}`);
  }

  #endPulls(status: number): void {
    // The driver cannot know which of its pulls took which message: none is open any more.
    for (let count = 0; count < slotCount; count += 1) this.#driver.pullEnded();
    if (status !== 408 && status !== 404) this.#parts.errors.count(`a pull ended with status ${status}`);
  }

  #finishTurn(nowNs: number): void {
    if (!this.#isStarted) return;
    this.#pull(nowNs);
    if (this.#writer.length > 0) this.#connection.send(this.#writer.take());
    this.#parts.wakeBy(this.wakeNs());
  }

  #pull(nowNs: number): void {
    if (this.#isStopped || this.#driver.isDown) return;
    for (
      let count = this.#driver.pullNeeded();
      count > 0 && this.#pulls.hasFree;
      count = this.#driver.pullNeeded()
    ) {
      this.#writer.text(this.#pulls.ask(count, nowNs));
      this.#driver.pulled(count, nowNs);
    }
  }
}
