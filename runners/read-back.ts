import { nanosFromRfc3339 } from '../engine/base/nanos.ts';
import { emptyAckSubject, readAckSubject } from '../engine/wire/ack-subject.ts';
import type { MessageFrame } from '../engine/wire/server-frames.ts';
import { readBodyId } from '../workloads/operation-id.ts';
import type { BodyId } from '../workloads/operation-id.ts';
import { reportStream, sentence } from './setup.ts';
import type { StreamReport, TrialGround } from './setup.ts';
import { PullSlots } from './wire/pull-slots.ts';
import type { WireConnection } from './wire/wire-connection.ts';

/** One stored message, in ascending sequence. `id` means nothing unless `crcRight`, and is only valid during the call. */
export type StoredVisitor = (
  sequence: number,
  storedNs: number,
  id: Readonly<BodyId>,
  crcRight: boolean,
) => void;

export interface ReadBack {
  readonly readCount: number;
  readonly reported: StreamReport;
  /** Every message that the stream reports was read. */
  readonly isComplete: boolean;
  /** Why not; empty otherwise. */
  readonly reason: string;
}

const readerName = 'oncemark_reader';
const batchCount = 5000;
const slotCount = 2;
const silenceMsMax = 5000;
const walkerCount = 16;

/**
 * Reads everything that the trial's stream holds. Streams that keep what was acknowledged are read by a pull consumer
 * over the wire client (some 500 000 messages a second), others message by message, since reading must not remove.
 * Timestamps are nanoseconds since `epochSeconds`. Never throws for what the target does.
 */
export async function readBack(
  ground: TrialGround,
  connection: WireConnection,
  epochSeconds: number,
  visit: StoredVisitor,
): Promise<ReadBack> {
  let reported: StreamReport = { messages: 0, first: 0, last: 0 };
  let readCount = 0;
  const counted: StoredVisitor = (sequence, storedNs, id, crcRight) => {
    readCount += 1;
    visit(sequence, storedNs, id, crcRight);
  };
  try {
    reported = await reportStream(ground);
    const isKept = ground.plan.stream.retention === 'limits';
    if (reported.messages > 0 && isKept) await readByConsumer(ground, connection, epochSeconds, counted);
    else if (reported.messages > 0) await readBySequence(ground, reported, epochSeconds, counted);
  } catch (error) {
    return {
      readCount,
      reported,
      isComplete: false,
      reason: `the stream could not be read back: ${sentence(error)}`,
    };
  }
  const isComplete = readCount === reported.messages;
  const reason = isComplete ? '' : `read ${readCount} messages back, the stream reports ${reported.messages}`;
  return { readCount, reported, isComplete, reason };
}

async function readByConsumer(
  ground: TrialGround,
  connection: WireConnection,
  epochSeconds: number,
  visit: StoredVisitor,
): Promise<void> {
  await ground.manager.consumers.add(ground.streamName, {
    durable_name: readerName,
    ack_policy: 'none',
    deliver_policy: 'all',
  });
  const reader = new ConsumerReader(ground.streamName, connection, epochSeconds, visit);
  await reader.finished;
}

/** Pulls all there is, in order, and checks the order. */
class ConsumerReader {
  readonly finished: Promise<void>;
  readonly #connection: WireConnection;
  readonly #pulls: PullSlots;
  readonly #ack = emptyAckSubject();
  readonly #id: BodyId = emptyBodyId();
  readonly #epochSeconds: number;
  readonly #visit: StoredVisitor;
  readonly #silence: NodeJS.Timeout;
  #expected = 1;
  #resolve: () => void = ignore;
  #reject: (error: Error) => void = ignore;

  constructor(stream: string, connection: WireConnection, epochSeconds: number, visit: StoredVisitor) {
    this.#connection = connection;
    this.#epochSeconds = epochSeconds;
    this.#visit = visit;
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#silence = setTimeout(() => this.#fail(`nothing came for ${silenceMsMax} ms`), silenceMsMax);
    this.#pulls = new PullSlots(
      connection,
      { stream, consumer: readerName, slotCount },
      (frame) => this.#take(frame),
      (status) => this.#fail(`a pull ended with status ${status}`),
    );
    connection.onClose((error) => this.#fail(error.message));
    connection.onChunk(ignore, () => this.#pull());
    this.#pull();
  }

  #pull(): void {
    this.#silence.refresh();
    while (this.#pulls.hasFree) {
      this.#connection.send(Buffer.from(this.#pulls.ask(batchCount, 0), 'latin1'));
    }
  }

  #take(frame: MessageFrame): void {
    const ack = this.#ack;
    if (!readAckSubject(frame.bytes, frame.replyStart, frame.replyEnd, ack)) {
      this.#fail('a delivery without an ack subject');
      return;
    }
    if (ack.consumerSequence !== this.#expected) {
      this.#fail(`delivery ${ack.consumerSequence} came where ${this.#expected} was next`);
      return;
    }
    this.#expected += 1;
    const length = frame.payloadEnd - frame.payloadStart;
    const crcRight = readBodyId(frame.bytes, frame.payloadStart, length, this.#id);
    const storedNs = (ack.unixSeconds - this.#epochSeconds) * 1e9 + ack.nanos;
    this.#visit(ack.streamSequence, storedNs, this.#id, crcRight);
    if (ack.pending === 0) this.#end(this.#resolve);
  }

  #fail(reason: string): void {
    this.#end(() => this.#reject(new Error(reason)));
  }

  #end(settle: () => void): void {
    clearTimeout(this.#silence);
    this.#connection.onChunk(ignore, ignore);
    this.#connection.onClose(ignore);
    this.#pulls.close();
    settle();
  }
}

interface StoredMessage {
  readonly seq: number;
  readonly data: Uint8Array;
  readonly timeText: string;
}

// Sequences are split into stretches that are walked side by side; within one, each answer names where the next begins.
async function readBySequence(
  ground: TrialGround,
  reported: StreamReport,
  epochSeconds: number,
  visit: StoredVisitor,
): Promise<void> {
  const stretch = Math.ceil((reported.last - reported.first + 1) / walkerCount);
  const starts = Array.from({ length: walkerCount }, (_, walker) => reported.first + walker * stretch);
  const walks = starts
    .filter((start) => start <= reported.last)
    .map((start) => walk(ground, start, Math.min(start + stretch, reported.last + 1)));
  const epoch = { unixSeconds: epochSeconds, nanos: 0 };
  const id = emptyBodyId();
  for (const messages of await Promise.all(walks)) {
    for (const { seq, data, timeText } of messages) {
      const crcRight = readBodyId(data, 0, data.length, id);
      visit(seq, nanosFromRfc3339(epoch, timeText), id, crcRight);
    }
  }
}

async function walk(ground: TrialGround, from: number, before: number): Promise<StoredMessage[]> {
  const found: StoredMessage[] = [];
  for (let sequence = from; sequence < before;) {
    const message = await nextMessage(ground, sequence);
    if (message === null || message.seq >= before) break;
    found.push(message);
    sequence = message.seq + 1;
  }
  return found;
}

async function nextMessage(ground: TrialGround, sequence: number): Promise<StoredMessage | null> {
  const query = { seq: sequence, next_by_subj: '>' };
  const message = await ground.manager.streams.getMessage(ground.streamName, query);
  return message === null ? null : { seq: message.seq, data: message.data, timeText: message.timestamp };
}

function emptyBodyId(): BodyId {
  return { publisher: 0, counter: 0, attempt: 0, dueNs: Number.NaN };
}

function ignore(): void {}
