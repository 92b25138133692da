// Requests to `$JS.API.>`: changes go through the log, reads are answered from the committed state (spec 2).

import { latin1Bytes, latin1Text } from '../base/bytes.ts';
import { rfc3339 } from '../base/nanos.ts';
import { utf8Bytes } from '../base/text.ts';
import { answerApi, apiWrites, isApiCall } from '../core/api/answer.ts';
import { lastMatching, selectMessage } from '../core/api/message-api.ts';
import { headerStart, publishAt } from '../core/batch.ts';
import type { Stream } from '../core/stream.ts';
import type { PublishFrame } from '../wire/client-frames.ts';
import { headerBlock } from '../wire/message-headers.ts';
import { parsePullRequest } from '../wire/pull-request.ts';
import { badRequestStatus, statusBlock, statusLines } from '../wire/status.ts';
import type { DeskHost } from './desk-host.ts';
import { wholeRange } from './message-router.ts';

const nextCall = 'CONSUMER.MSG.NEXT.';
const directCall = 'DIRECT.GET.';

export class ApiDesk {
  readonly #host: DeskHost;
  readonly #prefixes: readonly string[];
  requestCount = 0;

  constructor(host: DeskHost, domain: string | null) {
    this.#host = host;
    this.#prefixes = domain === null ? ['$JS.API.'] : ['$JS.API.', `$JS.${domain}.API.`];
  }

  /** Subjects that the API answers on. */
  get patterns(): readonly string[] {
    return this.#prefixes.map((prefix) => `${prefix}>`);
  }

  /** False when the call names something that is not there and has no answer of its own (spec 1.7). */
  take(frame: PublishFrame): boolean {
    this.requestCount += 1;
    const subject = latin1Text(frame.bytes, frame.subjectStart, frame.subjectEnd);
    const prefix = this.#prefixes.find((candidate) => subject.startsWith(candidate)) ?? '';
    const call = subject.slice(prefix.length);
    if (call.startsWith(nextCall)) return this.#next(call.slice(nextCall.length), frame);
    if (call.startsWith(directCall)) return this.#direct(call.slice(directCall.length), frame);
    if (!isApiCall(call)) return true;
    const body = frame.bytes.subarray(frame.payloadStart, frame.payloadEnd);
    if (apiWrites(call)) this.#write(latin1Bytes(call), body, frame);
    else this.#read(call, body, frame);
    return true;
  }

  #write(call: Uint8Array, body: Uint8Array, frame: PublishFrame): void {
    const { builder } = this.#host.leader;
    this.#host.makeRoom(builder.apiBytes(call, body));
    this.#host.expectReply(builder.api(call, body), frame);
    // What follows on the connection may be meant for what this call makes, so it takes effect at once.
    this.#host.commit();
  }

  // A read sees everything that came before it.
  #read(call: string, body: Uint8Array, frame: PublishFrame): void {
    if (this.#host.isPending) this.#host.commit();
    const answer = utf8Bytes(JSON.stringify(answerApi(this.#host.state, call, body)));
    this.#reply(frame, null, wholeRange(answer));
  }

  #reply(
    frame: PublishFrame,
    header: Uint8Array | null,
    payload: { bytes: Uint8Array; start: number; end: number } | null,
  ): void {
    if (frame.replyEnd === frame.replyStart) return;
    const subject = wholeRange(frame.bytes.slice(frame.replyStart, frame.replyEnd));
    this.#host.send({ subject, reply: null, header: header === null ? null : wholeRange(header), payload });
  }

  // CONSUMER.MSG.NEXT.S.C (spec 6.5)
  #next(names: string, frame: PublishFrame): boolean {
    const [streamName = '', consumerName = ''] = names.split('.');
    const stream = this.#host.state.streams.get(streamName);
    const consumer = stream?.consumers.get(consumerName);
    if (stream === undefined || consumer === undefined) return false;
    if (frame.replyEnd === frame.replyStart) return true;
    const request = parsePullRequest(frame.bytes, frame.payloadStart, frame.payloadEnd);
    if ('badRequest' in request) {
      this.#reply(frame, statusBlock(badRequestStatus(request.badRequest)), null);
      return true;
    }
    if (this.#host.isPending && request.noWait) this.#host.commit();
    const reply = frame.bytes.slice(frame.replyStart, frame.replyEnd);
    this.#host.leader.pull(stream, consumer, reply, request, this.#host.nowNs);
    return true;
  }

  // DIRECT.GET.S[.SUBJECT] (spec 2.6): the stored message itself, headers added, no JSON.
  #direct(rest: string, frame: PublishFrame): boolean {
    const [streamName = '', ...subjectTokens] = rest.split('.');
    const stream = this.#host.state.streams.get(streamName);
    if (stream === undefined || !stream.config.allow_direct) return false;
    if (this.#host.isPending) this.#host.commit();
    const subject = subjectTokens.join('.');
    if (subject !== '') this.#directReply(stream, lastMatching(stream, subject), frame);
    else if (frame.payloadEnd === frame.payloadStart) {
      this.#reply(frame, statusBlock(statusLines.emptyRequest), null);
    } else {
      const body = frame.bytes.subarray(frame.payloadStart, frame.payloadEnd);
      const selected = selectMessage(this.#host.state, stream, body);
      if (typeof selected === 'number') this.#directReply(stream, selected, frame);
      else this.#reply(frame, statusBlock(statusLines.directBadRequest), null);
    }
    return true;
  }

  #directReply(stream: Stream, sequence: number, frame: PublishFrame): void {
    const place = sequence === 0 ? null : stream.place(sequence);
    if (place === null) return this.#reply(frame, statusBlock(statusLines.messageNotFound), null);
    const { bytes, view } = place.segment;
    const start = headerStart(view, place.offset);
    const payloadStart = start + view.getUint32(place.offset + publishAt.headerBytes, true);
    const payloadEnd = payloadStart + view.getUint32(place.offset + publishAt.payloadBytes, true);
    const added = headerBlock([
      ['Nats-Stream', stream.config.name],
      ['Nats-Subject', latin1Text(bytes, place.offset + publishAt.subject, start)],
      ['Nats-Sequence', String(sequence)],
      ['Nats-Time-Stamp', rfc3339(this.#host.state.context.epoch, place.storedNs)],
    ]);
    const header = joinHeaders(bytes.subarray(start, payloadStart), added);
    this.#reply(frame, header, { bytes, start: payloadStart, end: payloadEnd });
  }
}

const statusLineBytes = 'NATS/1.0\r\n'.length;

// The stored block without its empty line, then the added one without its status line.
function joinHeaders(stored: Uint8Array, added: Uint8Array): Uint8Array {
  if (stored.length === 0) return added;
  const kept = stored.length - 2;
  const joined = new Uint8Array(kept + added.length - statusLineBytes);
  joined.set(stored.subarray(0, kept), 0);
  joined.set(added.subarray(statusLineBytes), kept);
  return joined;
}
