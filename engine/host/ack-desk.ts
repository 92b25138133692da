import { latin1Text, sameBytes } from '../base/bytes.ts';
import type { Consumer } from '../core/consumer.ts';
import { acknowledgeAt, acknowledgeKind } from '../core/batch.ts';
import type { Stream } from '../core/stream.ts';
import { ackKinds, emptyAckBody, emptyAckSubject, readAckBody, readAckSubject } from '../wire/ack.ts';
import type { PublishFrame } from '../wire/client-frames.ts';
import { parsePullRequest } from '../wire/pull-request.ts';
import type { DeskHost } from './desk-host.ts';

const recordKinds = {
  [ackKinds.ack]: acknowledgeKind.ack,
  [ackKinds.nak]: acknowledgeKind.nak,
  [ackKinds.progress]: acknowledgeKind.progress,
  [ackKinds.term]: acknowledgeKind.terminate,
  [ackKinds.next]: acknowledgeKind.ack,
} as const;

/** Publishes to `$JS.ACK.>`: consumers' answers become records (spec 2.5, 6.6). */
export class AckDesk {
  readonly #host: DeskHost;
  readonly #subject = emptyAckSubject();
  readonly #body = emptyAckBody();
  #names = new Uint8Array(0);
  #stream: Stream | null = null;
  #consumer: Consumer | null = null;

  constructor(host: DeskHost) {
    this.#host = host;
  }

  /** Streams or consumers changed. */
  forget(): void {
    this.#consumer = null;
  }

  /** False when there is no such consumer, or it takes no acks: nobody responds (spec A33). */
  take(frame: PublishFrame): boolean {
    const { bytes, subjectStart, subjectEnd, payloadStart, payloadEnd } = frame;
    const subject = this.#subject;
    if (!readAckSubject(bytes, subjectStart, subjectEnd, subject)) return false;
    if (
      !this.#find(bytes, subject.streamStart, subject.streamEnd, subject.consumerStart, subject.consumerEnd)
    ) {
      return false;
    }
    const stream = this.#stream as Stream;
    const consumer = this.#consumer as Consumer;
    if (consumer.config.ack_policy === 'none') return false;
    const body = this.#body;
    readAckBody(bytes, payloadStart, payloadEnd, body);
    const { builder } = this.#host.leader;
    const kind = body.kind === ackKinds.ignored ? 0 : recordKinds[body.kind];
    const delayNs = body.kind === ackKinds.nak ? body.delayNs : 0;
    this.#host.makeRoom(acknowledgeAt.reason + body.reasonEnd - body.reasonStart);
    const row = builder.acknowledge(
      stream.id,
      consumer.id,
      subject.streamSequence,
      kind,
      delayNs,
      bytes,
      body.reasonStart,
      body.reasonEnd,
    );
    this.#host.leader.touch(consumer, this.#host.nowNs);
    if (body.kind === ackKinds.next) {
      this.#pullNext(stream, consumer, frame, body.requestStart, body.requestEnd);
    } else if (frame.replyEnd > frame.replyStart) this.#host.expectReply(row, frame);
    return true;
  }

  // +NXT: the rest is a pull request whose deliveries go to the ack's own reply.
  #pullNext(stream: Stream, consumer: Consumer, frame: PublishFrame, start: number, end: number): void {
    if (frame.replyEnd === frame.replyStart) return;
    const request = parsePullRequest(frame.bytes, start, end);
    if ('badRequest' in request) return;
    const reply = frame.bytes.slice(frame.replyStart, frame.replyEnd);
    this.#host.leader.pull(stream, consumer, reply, request, this.#host.nowNs);
  }

  // The names of the last ack are mostly those of this one.
  #find(
    bytes: Uint8Array,
    streamStart: number,
    streamEnd: number,
    consumerStart: number,
    consumerEnd: number,
  ): boolean {
    const length = consumerEnd - streamStart;
    const isSame = this.#consumer !== null && length === this.#names.length;
    if (isSame && sameBytes(bytes, streamStart, this.#names, 0, length)) return true;
    const stream = this.#host.state.streams.get(latin1Text(bytes, streamStart, streamEnd));
    const consumer = stream?.consumers.get(latin1Text(bytes, consumerStart, consumerEnd));
    if (stream === undefined || consumer === undefined) return false;
    this.#stream = stream;
    this.#consumer = consumer;
    this.#names = bytes.slice(streamStart, consumerEnd);
    return true;
  }
}
