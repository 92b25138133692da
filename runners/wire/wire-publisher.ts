import { isDefiniteFailure } from '../../engine/base/api-errors.ts';
import { latin1Text } from '../../engine/base/bytes.ts';
import { emptyPubAck, readPubAck } from '../../engine/wire/puback.ts';
import type { MessageFrame } from '../../engine/wire/server-frames.ts';
import type { PublisherDriver } from '../../workloads/publisher-driver.ts';
import { outcomes } from '../../workloads/publisher-ledger.ts';
import type { LoadMember } from '../trial-load.ts';
import { connectionLost, lanesExhausted, outOfTurn } from '../trial-errors.ts';
import type { ErrorCounts } from '../trial-errors.ts';
import { readLane } from './publish-frames.ts';
import type { PublishFrames } from './publish-frames.ts';
import type { ReplyLanes } from './reply-lanes.ts';
import type { WireConnection } from './wire-connection.ts';

/** Without a PubAck for this long an attempt's outcome is unknown. */
export const ackTimeoutNs = 5e9;
const expireEveryNs = 1e8;

export interface WirePublisherParts {
  readonly connection: WireConnection;
  readonly driver: PublisherDriver;
  readonly frames: PublishFrames;
  readonly lanes: ReplyLanes;
  readonly errors: ErrorCounts;
  readonly nowNs: () => number;
  /** The loop that steps this publisher may sleep; it is told here that there is work earlier. */
  readonly wakeBy: (atNs: number) => void;
}

/**
 * One publisher on one connection: takes what is due from its driver, sends it in batches, and settles PubAcks as
 * they are read. Clocks are read once for each socket chunk and once for each batch.
 */
export class WirePublisher implements LoadMember {
  readonly #connection: WireConnection;
  readonly #driver: PublisherDriver;
  readonly #frames: PublishFrames;
  readonly #lanes: ReplyLanes;
  readonly #errors: ErrorCounts;
  readonly #nowNs: () => number;
  readonly #isRecycling: boolean;
  readonly #pubAck = emptyPubAck();
  #chunkNs = 0;
  #nextExpiryNs = 0;
  #isStarted = false;
  #isStopped = false;

  constructor(parts: WirePublisherParts) {
    this.#connection = parts.connection;
    this.#driver = parts.driver;
    this.#frames = parts.frames;
    this.#lanes = parts.lanes;
    this.#errors = parts.errors;
    this.#nowNs = parts.nowNs;
    this.#isRecycling = this.#connection.onWritten((bytes) => this.#frames.recycle(bytes));
    this.#connection.onChunk(
      () => {
        this.#chunkNs = this.#nowNs();
      },
      () => this.#pumpAndWake(parts.wakeBy),
    );
    this.#connection.onWritable(() => this.#pumpAndWake(parts.wakeBy));
    this.#connection.onClose((error) => this.#fail(error.message));
    this.#connection.subscribe(`${this.#connection.inbox}.*`, (frame) => this.#settle(frame));
  }

  wakeNs(): number {
    if (this.#connection.error !== null) return Infinity;
    const canSend = this.#connection.isWritable && !this.#isStopped;
    const dueNs = canSend ? this.#driver.wakeNs() : Infinity;
    return this.#lanes.openCount > 0 ? Math.min(dueNs, this.#nextExpiryNs) : dueNs;
  }

  step(nowNs: number): void {
    this.#isStarted = true;
    if (nowNs >= this.#nextExpiryNs) this.#expire(nowNs);
    this.#pump(nowNs);
  }

  stop(): void {
    this.#isStopped = true;
  }

  isDone(): boolean {
    if (this.#connection.error !== null || this.#driver.isDone) return true;
    return this.#isStopped && this.#lanes.openCount === 0;
  }

  close(): void {
    this.#connection.close();
  }

  // Replies that come before the first step are none of ours, and nothing may be sent before the start.
  #pumpAndWake(wakeBy: (atNs: number) => void): void {
    if (!this.#isStarted) return;
    this.#pump(this.#nowNs());
    wakeBy(this.wakeNs());
  }

  #pump(startNs: number): void {
    let nowNs = startNs;
    const driver = this.#driver;
    const frames = this.#frames;
    while (!this.#isStopped && this.#connection.isWritable && driver.take(nowNs)) {
      const { attempt, counter, attemptOfId, dueNs } = driver.next;
      const lane = this.#lanes.open(attempt, nowNs);
      if (lane < 0) {
        this.#failAttempt(attempt, nowNs);
        break;
      }
      frames.add(lane, counter, attemptOfId, dueNs);
      if (frames.isFull) {
        this.#sendBatch();
        nowNs = this.#nowNs();
      }
    }
    if (frames.count > 0) this.#sendBatch();
  }

  #sendBatch(): void {
    this.#connection.send(this.#isRecycling ? this.#frames.take() : this.#frames.takeCopy());
  }

  #settle(frame: MessageFrame): void {
    const lane = readLane(frame.bytes, frame.subjectEnd);
    const attempt = lane < 0 ? -1 : this.#lanes.close(lane);
    if (attempt < 0) {
      this.#errors.count('a reply to an attempt that was given up or never made');
      return;
    }
    const pubAck = this.#pubAck;
    const isPubAck =
      frame.status === 0 && readPubAck(frame.bytes, frame.payloadStart, frame.payloadEnd, pubAck);
    if (!isPubAck || pubAck.isError) {
      this.#settleError(attempt, frame, isPubAck);
      return;
    }
    if (!this.#lanes.isInTurn(attempt, pubAck.sequence)) {
      this.#errors.count(outOfTurn);
      this.#driver.settle(attempt, outcomes.unknown, 0, this.#chunkNs);
      return;
    }
    this.#driver.settle(
      attempt,
      pubAck.duplicate ? outcomes.duplicate : outcomes.stored,
      pubAck.sequence,
      this.#chunkNs,
    );
  }

  #settleError(attempt: number, frame: MessageFrame, isPubAck: boolean): void {
    if (isPubAck) {
      this.#errors.count(`PubAck error ${this.#pubAck.errorCode}`);
      const isDefinite = isDefiniteFailure(this.#pubAck.errorCode);
      this.#driver.settle(attempt, isDefinite ? outcomes.failed : outcomes.unknown, 0, this.#chunkNs);
      return;
    }
    // Nobody listens on the subject, so nobody can have stored it.
    const isDefinite = frame.status === 503;
    const text = latin1Text(
      frame.bytes,
      frame.payloadStart,
      Math.min(frame.payloadEnd, frame.payloadStart + 80),
    );
    this.#errors.count(isDefinite ? 'no responders' : `a reply that is no PubAck: ${frame.status} ${text}`);
    this.#driver.settle(attempt, isDefinite ? outcomes.failed : outcomes.unknown, 0, this.#chunkNs);
  }

  #expire(nowNs: number): void {
    this.#nextExpiryNs = nowNs + expireEveryNs;
    this.#lanes.expire(nowNs - ackTimeoutNs, (attempt) => {
      this.#errors.count('no PubAck in time');
      this.#driver.settle(attempt, outcomes.unknown, 0, nowNs);
    });
  }

  #failAttempt(attempt: number, nowNs: number): void {
    // Never left this side, so definite.
    this.#errors.count(lanesExhausted);
    this.#driver.settle(attempt, outcomes.failed, 0, nowNs);
    this.#isStopped = true;
  }

  #fail(sentence: string): void {
    this.#errors.count(`${connectionLost}: ${sentence}`);
    this.#lanes.expire(Infinity, (attempt) =>
      this.#driver.settle(attempt, outcomes.unknown, 0, this.#nowNs()),
    );
  }
}
