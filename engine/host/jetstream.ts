// JetStream on the wire: publishes, acks, pulls and API calls become records of the open batch; what the batch
// decided becomes PubAcks, deliveries and statuses (DESIGN D2).

import { apiError, type ApiErrorCode } from '../base/api-errors.ts';
import { assert } from '../base/assert.ts';
import { latin1Bytes, type ByteRange } from '../base/bytes.ts';
import { scanPublishHeaders, type HeaderScan } from '../base/header-scan.ts';
import type { Nanos } from '../base/nanos.ts';
import { utf8Bytes } from '../base/text.ts';
import { Leader } from '../core/leader.ts';
import type { EngineState } from '../core/engine-state.ts';
import type { MessageLog } from '../core/message-log.ts';
import { outcome, Outcomes } from '../core/outcomes.ts';
import { byteString } from '../core/subject-filter.ts';
import type { Stream } from '../core/stream.ts';
import type { PublishFrame } from '../wire/client-frames.ts';
import { endMessageLine, startMessageLine, writeLineEnd } from '../wire/frame-writer.ts';
import { pubAckBytes, pubAckErrorBody, writePubAck, type PubAckSpacing } from '../wire/puback.ts';
import { AckDesk } from './ack-desk.ts';
import { AdvisoryDesk } from './advisory-desk.ts';
import { ApiDesk } from './api-desk.ts';
import type { DeskHost } from './desk-host.ts';
import { DeliveryDesk } from './delivery-desk.ts';
import { textRange, wholeRange, type Message, type MessageRouter } from './message-router.ts';
import { PublishStage } from './publish-stage.ts';
import { ReplyTable } from './reply-table.ts';
import type { Route, StreamTap } from './route.ts';

const firstErrorCode = 10_000;
const dispatchRoundsMax = 4;

export interface JetStreamOptions {
  readonly log: MessageLog;
  readonly state: EngineState;
  readonly router: MessageRouter;
  readonly now: () => Nanos;
  /** Unique names for advisories. */
  readonly nextId: () => string;
}

export class JetStream implements DeskHost {
  readonly state: EngineState;
  readonly leader: Leader;
  readonly api: ApiDesk;
  readonly acks: AckDesk;
  readonly #router: MessageRouter;
  readonly #now: () => Nanos;
  readonly #outcomes = new Outcomes();
  readonly #replies = new ReplyTable();
  readonly #deliveries: DeliveryDesk;
  readonly #advisories: AdvisoryDesk;
  readonly #taps = new Map<Stream, { tap: StreamTap; subjects: readonly string[] }>();
  readonly #names = new Map<Stream, Uint8Array>();
  readonly #domain: Uint8Array | null;
  readonly #spacing: PubAckSpacing;
  readonly #scan: HeaderScan = { idStart: 0, idEnd: 0, hasControl: false };
  readonly #answer: { subject: ByteRange; reply: null; header: null; payload: ByteRange | null };
  readonly #stage = new PublishStage((stream, frame, idStart, idEnd, hasControl, hash) =>
    this.#decide(stream, frame, idStart, idEnd, hasControl, hash),
  );
  #chunk: Uint8Array | null = null;
  readonly #ackSubject: { bytes: Uint8Array; start: number; end: number } = {
    bytes: new Uint8Array(0),
    start: 0,
    end: 0,
  };
  #seenGeneration = -1;
  #isCommitting = false;
  /** Answers that a stream captures, kept until the batch that they belong to is committed. */
  readonly #captured: { readonly route: Route; readonly message: Message }[] = [];

  constructor(options: JetStreamOptions) {
    this.state = options.state;
    this.#router = options.router;
    this.#now = options.now;
    const { domain, profile } = options.state.context;
    this.#domain = domain === null ? null : latin1Bytes(domain);
    this.#spacing = profile.spacedPubAck ? 'spaced' : 'dense';
    this.#answer = { subject: textRange(''), reply: null, header: null, payload: null };
    this.#deliveries = new DeliveryDesk(options.state.context, options.router);
    this.leader = new Leader(
      options.log,
      options.state,
      (reply) => options.router.hasClient(reply),
      (stream, consumer, reply) => this.#deliveries.send(stream, consumer, reply),
    );
    this.#advisories = new AdvisoryDesk(options.state.context, options.nextId);
    this.acks = new AckDesk(this);
    this.api = new ApiDesk(this, domain);
    this.#followStreams();
  }

  get nowNs(): Nanos {
    return this.#now();
  }

  // --- taking in

  /** The bytes that frames come from next stay as they are until `endChunk`, so publishes may wait for each other. */
  beginChunk(bytes: Uint8Array): void {
    this.#chunk = bytes;
  }

  endChunk(): void {
    this.#stage.flush();
    this.#chunk = null;
  }

  /** A publish on a stream's subject. The reply, if any, gets a PubAck when the batch is committed. */
  publish(stream: Stream, frame: PublishFrame): void {
    const scan = this.#scan;
    if (frame.payloadStart > frame.headerStart) {
      scanPublishHeaders(frame.bytes, frame.headerStart, frame.payloadStart, scan);
    } else {
      scan.idStart = 0;
      scan.idEnd = 0;
      scan.hasControl = false;
    }
    const { idStart, idEnd, hasControl } = scan;
    if (this.#stage.isWorking) {
      // An advisory of a batch that had to be committed on the way, say.
      const hash = idEnd > idStart ? stream.dedup.hashOf(frame.bytes, idStart, idEnd) : 0;
      this.#decide(stream, frame, idStart, idEnd, hasControl, hash);
      return;
    }
    this.#stage.add(stream, frame, idStart, idEnd, hasControl);
    // A frame that was put together from two chunks is gone after this call.
    if (frame.bytes !== this.#chunk) this.#stage.flush();
  }

  #decide(
    stream: Stream,
    frame: PublishFrame,
    idStart: number,
    idEnd: number,
    hasControl: boolean,
    hash: number,
  ): void {
    const hasId = idEnd > idStart;
    if (hasId && !hasControl && this.#answersKnown(stream, frame, idStart, idEnd, hash)) return;
    const { builder } = this.leader;
    if (!builder.hasRoom(builder.publishBytes(frame))) this.commit();
    const row = builder.publish(frame, stream.id, idStart, idEnd, hasControl);
    const replyEnd = stream.config.no_ack === true ? frame.replyStart : frame.replyEnd;
    this.#replies.add(row, frame.bytes, frame.replyStart, replyEnd, stream);
    this.#replies.setHash(row, hash);
  }

  // A duplicate of a committed message costs no log space; one in flight is decided at apply (DESIGN D5).
  #answersKnown(stream: Stream, frame: PublishFrame, idStart: number, idEnd: number, hash: number): boolean {
    if (stream.config.sealed) return false;
    const original = stream.dedup.find(frame.bytes, idStart, idEnd, this.#now(), hash);
    if (original === 0) return false;
    if (frame.replyEnd > frame.replyStart && stream.config.no_ack !== true) {
      this.#pubAck(frame.bytes, frame.replyStart, frame.replyEnd, stream, original, true);
    }
    return true;
  }

  /** Commits what is in the open batch when a record of that size no longer fits. */
  makeRoom(recordBytes: number): void {
    this.#stage.flush();
    if (!this.leader.builder.hasRoom(recordBytes)) this.commit();
  }

  /** Notes where the answer to the record in `row` goes. */
  expectReply(row: number, frame: PublishFrame): void {
    this.#replies.add(row, frame.bytes, frame.replyStart, frame.replyEnd, undefined);
  }

  /** A message that the server itself sends: to clients, and into a stream that captures its subject. */
  send(message: Message): void {
    const { bytes, start, end } = message.subject;
    const route = this.#router.route(bytes, start, end);
    this.#router.deliver(route, message, null);
    if (route.stream !== null) this.#capture(route, message);
  }

  #capture(route: Route, message: Message): void {
    const frame = frameOf(message);
    if (route.stream !== null) this.publish(route.stream, frame);
  }

  // --- committing

  /** Whether records wait for the end of the turn. */
  get isPending(): boolean {
    return this.leader.builder.recordCount > 0 || this.#stage.count > 0;
  }

  /** Does all that this turn brought and all that is due. True when more is left for another turn. */
  turn(): boolean {
    const now = this.#now();
    this.leader.runTimers(now);
    if (this.isPending || now >= this.state.nextTimerNs) this.commit();
    let rounds = 0;
    while (rounds < dispatchRoundsMax && this.leader.dispatch()) {
      this.commit();
      rounds += 1;
    }
    this.#deliveries.sendStatuses(this.leader.takeStatuses());
    return rounds === dispatchRoundsMax || this.isPending;
  }

  /** When `turn` must run again even if nothing comes in. */
  get nextTimerNs(): Nanos {
    return Math.min(this.state.nextTimerNs, this.leader.nextTimerNs);
  }

  /** Seals the open batch, applies it and answers. In memory a batch is committed as soon as it is sealed. */
  commit(): void {
    assert(!this.#isCommitting, 'a batch is committed on its own');
    this.#stage.flush();
    this.#isCommitting = true;
    const batch = this.leader.seal(this.#now());
    this.state.apply(batch, this.#outcomes, this.leader, this.#replies.hashes);
    this.leader.follow(batch.timeNs);
    this.#followStreams();
    for (let row = 0; row < batch.recordCount; row += 1) this.#answerRow(row);
    this.#replies.clear();
    this.#isCommitting = false;
    for (const { route, message } of this.#captured.splice(0)) this.#capture(route, message);
    for (const message of this.#advisories.take(this.state)) this.send(message);
  }

  #answerRow(row: number): void {
    const start = this.#replies.start(row);
    const end = this.#replies.end(row);
    if (end === start) return;
    const code = this.#outcomes.code[row] as number;
    const stream = this.#replies.streams[row];
    if (stream === undefined) return this.#answerRequest(row, code, start, end);
    if (code === outcome.stored || code === outcome.duplicate) {
      const sequence = this.#outcomes.sequence[row] as number;
      this.#pubAck(this.#replies.bytes, start, end, stream, sequence, code === outcome.duplicate);
    } else if (code >= firstErrorCode) {
      this.#reply(start, end, this.#errorBody(stream, code, row));
    }
  }

  #answerRequest(row: number, code: number, start: number, end: number): void {
    if (code !== outcome.done) return;
    const response = this.#outcomes.response.get(row);
    this.#reply(start, end, response === undefined ? null : utf8Bytes(JSON.stringify(response)));
  }

  #errorBody(stream: Stream, code: number, row: number): Uint8Array {
    const { status, text } = apiError(code as ApiErrorCode, this.#outcomes.detail.get(row));
    return pubAckErrorBody(stream.config.name, { code: status, errorCode: code, description: text });
  }

  #reply(start: number, end: number, body: Uint8Array | null): void {
    const answer = this.#answer;
    answer.subject = { bytes: this.#replies.bytes, start, end };
    answer.payload = body === null ? null : wholeRange(body);
    const route = this.#router.route(this.#replies.bytes, start, end);
    this.#router.deliver(route, answer, null);
    if (route.stream === null) return;
    const subject = wholeRange(this.#replies.bytes.slice(start, end));
    this.#captured.push({ route, message: { ...answer, subject } });
  }

  // The hottest answer, written straight into the connection's writer.
  #pubAck(
    bytes: Uint8Array,
    start: number,
    end: number,
    stream: Stream,
    sequence: number,
    duplicate: boolean,
  ): void {
    const route = this.#router.route(bytes, start, end);
    const name = this.#names.get(stream) as Uint8Array;
    const domainBytes = this.#domain === null ? null : this.#domain.length;
    const ackBytes = pubAckBytes(this.#spacing, name.length, domainBytes, sequence, duplicate);
    if (route.groups.length > 0 || route.stream !== null) {
      return this.#pubAckAnywhere(bytes, start, end, stream, sequence, duplicate);
    }
    const subject = this.#ackSubject;
    subject.bytes = bytes;
    subject.start = start;
    subject.end = end;
    for (const subscription of route.clients) {
      const { connection } = subscription;
      if (connection.isClosed || !connection.admitDelivery(subscription)) continue;
      startMessageLine(connection.writer, false, subject, subscription.sidBytes);
      endMessageLine(connection.writer, 0, ackBytes);
      writePubAck(connection.writer, this.#spacing, name, this.#domain, sequence, duplicate);
      writeLineEnd(connection.writer);
      this.#router.countOut(ackBytes);
      connection.wrote();
    }
  }

  // A reply subject with queue groups, or one that a stream captures (case C107).
  #pubAckAnywhere(
    bytes: Uint8Array,
    start: number,
    end: number,
    stream: Stream,
    sequence: number,
    duplicate: boolean,
  ): void {
    const body = JSON.stringify({
      stream: stream.config.name,
      ...(this.#domain === null ? {} : { domain: this.state.context.domain }),
      seq: sequence,
      ...(duplicate ? { duplicate: true } : {}),
    });
    const message = {
      subject: wholeRange(bytes.slice(start, end)),
      reply: null,
      header: null,
      payload: wholeRange(utf8Bytes(body)),
    };
    this.#answerAnywhere(message);
  }

  #answerAnywhere(message: Message): void {
    const { bytes, start, end } = message.subject;
    const route = this.#router.route(bytes, start, end);
    this.#router.deliver(route, message, null);
    if (route.stream === null) return;
    if (this.#isCommitting) this.#captured.push({ route, message });
    else this.#capture(route, message);
  }

  // --- streams as subscribers

  #followStreams(): void {
    if (this.state.generation === this.#seenGeneration) return;
    this.#seenGeneration = this.state.generation;
    for (const [stream, { tap, subjects }] of this.#taps) {
      const isThere = this.state.streamById(stream.id) === stream;
      if (isThere && subjects === stream.config.subjects) continue;
      for (const subject of subjects) this.#router.remove(byteString(subject), null, tap);
      this.#taps.delete(stream);
      if (!isThere) this.#names.delete(stream);
    }
    for (const stream of this.state.streams.values()) {
      if (!this.#taps.has(stream)) this.#tap(stream);
    }
    this.acks.forget();
  }

  #tap(stream: Stream): void {
    const tap: StreamTap = { kind: 'stream', stream };
    const { subjects, name } = stream.config;
    for (const subject of subjects) this.#router.add(byteString(subject), null, tap);
    this.#taps.set(stream, { tap, subjects });
    this.#names.set(stream, utf8Bytes(JSON.stringify(name).slice(1, -1)));
  }
}

/** A message as the frame it would have come in. */
function frameOf(message: Message): PublishFrame {
  const header = message.header ?? textRange('');
  const payload = message.payload ?? textRange('');
  const { subject } = message;
  const subjectBytes = subject.end - subject.start;
  const headerBytes = header.end - header.start;
  const bytes = new Uint8Array(subjectBytes + headerBytes + payload.end - payload.start);
  bytes.set(subject.bytes.subarray(subject.start, subject.end), 0);
  bytes.set(header.bytes.subarray(header.start, header.end), subjectBytes);
  bytes.set(payload.bytes.subarray(payload.start, payload.end), subjectBytes + headerBytes);
  return {
    bytes,
    subjectStart: 0,
    subjectEnd: subjectBytes,
    replyStart: subjectBytes,
    replyEnd: subjectBytes,
    headerStart: subjectBytes,
    payloadStart: subjectBytes + headerBytes,
    payloadEnd: bytes.length,
  };
}
