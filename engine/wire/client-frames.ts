// What clients send, read by the server.
import { latin1Text } from '../base/bytes.ts';
import { carriageReturn, lineFeed, space, tab } from './ascii.ts';
import {
  argumentBytes,
  findOperation,
  FrameArguments,
  lineEnd,
  opIncomplete,
  opUnknown,
} from './frame-arguments.ts';
import { FrameFeed } from './frame-feed.ts';
import { utf8Text } from './utf8.ts';

/**
 * One publish, as places in `bytes`; one instance is used for all, so it is valid during the call only. Without a reply
 * `replyStart === replyEnd`; without headers `headerStart === payloadStart`. The header block, if any, and the payload
 * lie one behind the other in `headerStart` … `payloadEnd`.
 */
export interface PublishFrame {
  bytes: Uint8Array;
  subjectStart: number;
  subjectEnd: number;
  replyStart: number;
  replyEnd: number;
  headerStart: number;
  payloadStart: number;
  payloadEnd: number;
}

export interface ClientFrameHandler {
  connect(json: string): void;
  publish(frame: PublishFrame): void;
  /** Texts hold one byte a character. */
  subscribe(subject: string, queue: string | null, sid: string): void;
  /** `max` 0 means at once. */
  unsubscribe(sid: string, max: number): void;
  ping(): void;
  pong(): void;
  /** The client broke the protocol: close, with `-ERR '<text>'` before it unless null. The last call of all. */
  violation(text: string | null): void;
}

export interface FrameLimits {
  /** Bytes of a control line behind its operation (spec 1.1). */
  readonly maxControlLine: number;
  /** Bytes of header block and payload together (spec 1.3). */
  readonly maxPayload: number;
}

const operations = ['PUB', 'HPUB', 'SUB', 'UNSUB', 'PING', 'PONG', 'CONNECT', '+OK', '-ERR', 'INFO'] as const;
type Operation = (typeof operations)[number];
type ArgumentOperation = 'PUB' | 'HPUB' | 'SUB' | 'UNSUB';

const unknownOperation = 'Unknown Protocol Operation';
const lineTooLong = 'maximum control line exceeded';
const payloadTooLarge = 'Maximum Payload Violation';
const noHeaders = 'message headers not supported';

/** Reads a client's bytes, however they are cut into chunks, in place (spec 1.1). */
export class ClientFrameReader {
  /** Whether CONNECT said `headers`; HPUB before that is a violation. */
  headersAllowed = false;
  readonly #handler: ClientFrameHandler;
  readonly #maxControlLine: number;
  readonly #maxPayload: number;
  readonly #line = new FrameArguments();
  readonly #feed: FrameFeed;
  readonly #frame = emptyPublishFrame();
  #isStopped = false;

  constructor(handler: ClientFrameHandler, limits: FrameLimits) {
    this.#handler = handler;
    this.#maxControlLine = limits.maxControlLine;
    this.#maxPayload = limits.maxPayload;
    this.#feed = new FrameFeed((bytes, start, end) => this.#readFrames(bytes, start, end));
  }

  /** The chunk is not kept, and may be written over afterwards. */
  feed(chunk: Uint8Array): void {
    if (!this.#isStopped) this.#feed.feed(chunk);
  }

  /** Ignores all further input, also what is left of the chunk being read. */
  stop(): void {
    this.#isStopped = true;
  }

  #readFrames(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && !this.#isStopped) {
      const next = this.#readFrame(bytes, at, end);
      if (next === at) return this.#isStopped ? end : at;
      at = next;
    }
    return end;
  }

  // Returns the position behind the frame, or `at` when it is incomplete.
  #readFrame(bytes: Uint8Array, at: number, end: number): number {
    if (end - at > 5) {
      const isHeader = bytes[at] === 72;
      const op = isHeader ? at + 1 : at;
      if (bytes[op] === 80 && bytes[op + 1] === 85 && bytes[op + 2] === 66 && bytes[op + 3] === space) {
        return this.#readPublish(bytes, at, op + 4, end, isHeader);
      }
    }
    const operation = findOperation(operations, bytes, at, end);
    if (operation === opIncomplete) return at;
    if (operation === opUnknown) return this.#violate(unknownOperation, at);
    return this.#readOperation(bytes, at, end, operations[operation] as Operation);
  }

  #readOperation(bytes: Uint8Array, at: number, end: number, operation: Operation): number {
    const operationEnd = at + operation.length;
    return takesArguments(operation)
      ? this.#readArguments(bytes, at, operationEnd, end, operation)
      : this.#readPlain(bytes, at, operationEnd, end, operation);
  }

  #readArguments(
    bytes: Uint8Array,
    at: number,
    operationEnd: number,
    end: number,
    operation: ArgumentOperation,
  ): number {
    if (operationEnd === end) return at;
    const blank = bytes[operationEnd];
    if (blank !== space && blank !== tab) return this.#violate(unknownOperation, at);
    const argumentStart = operationEnd + 1;
    if (operation === 'SUB') return this.#readSubscribe(bytes, at, argumentStart, end);
    if (operation === 'UNSUB') return this.#readUnsubscribe(bytes, at, argumentStart, end);
    return this.#readPublish(bytes, at, argumentStart, end, operation === 'HPUB');
  }

  #readPublish(
    bytes: Uint8Array,
    at: number,
    argumentStart: number,
    end: number,
    hasHeaders: boolean,
  ): number {
    const line = this.#line;
    const headerStart = line.scan(bytes, argumentStart, end);
    if (this.#isTooLong(bytes, argumentStart, headerStart, end)) return this.#violate(lineTooLong, at);
    if (headerStart === -1) return at;
    if (hasHeaders && !this.headersAllowed) return this.#violate(noHeaders, at);
    if (!line.readSizes(bytes, 1, hasHeaders)) return this.#violate(null, at);
    if (line.totalBytes > this.#maxPayload) return this.#violate(payloadTooLarge, at);
    const payloadEnd = headerStart + line.totalBytes;
    if (payloadEnd + 2 > end) {
      this.#feed.frameBytes = payloadEnd + 2 - at;
      return at;
    }
    if (bytes[payloadEnd] !== carriageReturn || bytes[payloadEnd + 1] !== lineFeed) {
      return this.#violate(unknownOperation, at);
    }
    this.#publish(bytes, headerStart, payloadEnd);
    return payloadEnd + 2;
  }

  #publish(bytes: Uint8Array, headerStart: number, payloadEnd: number): void {
    const frame = this.#frame;
    const line = this.#line;
    frame.bytes = bytes;
    frame.subjectStart = line.startOf(0);
    frame.subjectEnd = line.endOf(0);
    frame.replyStart = line.hasReply ? line.startOf(1) : frame.subjectEnd;
    frame.replyEnd = line.hasReply ? line.endOf(1) : frame.subjectEnd;
    frame.headerStart = headerStart;
    frame.payloadStart = headerStart + line.headerBytes;
    frame.payloadEnd = payloadEnd;
    this.#handler.publish(frame);
  }

  #readSubscribe(bytes: Uint8Array, at: number, argumentStart: number, end: number): number {
    const next = this.#line.scan(bytes, argumentStart, end);
    if (this.#isTooLong(bytes, argumentStart, next, end)) return this.#violate(lineTooLong, at);
    if (next === -1) return at;
    const { count } = this.#line;
    if (count !== 2 && count !== 3) return this.#violate(null, at);
    const queue = count === 3 ? this.#argument(bytes, 1) : null;
    this.#handler.subscribe(this.#argument(bytes, 0), queue, this.#argument(bytes, count - 1));
    return next;
  }

  #readUnsubscribe(bytes: Uint8Array, at: number, argumentStart: number, end: number): number {
    const next = this.#line.scan(bytes, argumentStart, end);
    if (this.#isTooLong(bytes, argumentStart, next, end)) return this.#violate(lineTooLong, at);
    if (next === -1) return at;
    const { count } = this.#line;
    if (count !== 1 && count !== 2) return this.#violate(null, at);
    // A max that is no number counts as none (seen on 2.10.27 and 2.15.1).
    const max = count === 2 ? Math.max(0, this.#line.sizeAt(bytes, 1)) : 0;
    this.#handler.unsubscribe(this.#argument(bytes, 0), max);
    return next;
  }

  #readPlain(
    bytes: Uint8Array,
    at: number,
    argumentStart: number,
    end: number,
    operation: Exclude<Operation, ArgumentOperation>,
  ): number {
    const next = lineEnd(bytes, argumentStart, end);
    if (this.#isTooLong(bytes, argumentStart, next, end)) return this.#violate(lineTooLong, at);
    if (next === -1) return at;
    if (operation === 'PING') this.#handler.ping();
    else if (operation === 'PONG') this.#handler.pong();
    else if (operation === 'CONNECT') this.#handler.connect(utf8Text(bytes, argumentStart, next).trim());
    // What servers say to each other: nats-server hangs up on -ERR and takes no notice of +OK and INFO.
    else if (operation === '-ERR') return this.#violate(null, at);
    return next;
  }

  // A line that has not ended yet is too long when not even a CR at its end would make it fit.
  #isTooLong(bytes: Uint8Array, argumentStart: number, next: number, end: number): boolean {
    if (next === -1) return end - argumentStart > this.#maxControlLine + 1;
    if (next - argumentStart <= this.#maxControlLine) return false;
    return argumentBytes(bytes, argumentStart, next) > this.#maxControlLine;
  }

  #argument(bytes: Uint8Array, index: number): string {
    return latin1Text(bytes, this.#line.startOf(index), this.#line.endOf(index));
  }

  #violate(text: string | null, at: number): number {
    this.#isStopped = true;
    this.#handler.violation(text);
    return at;
  }
}

function takesArguments(operation: Operation): operation is ArgumentOperation {
  return operation === 'PUB' || operation === 'HPUB' || operation === 'SUB' || operation === 'UNSUB';
}

function emptyPublishFrame(): PublishFrame {
  return {
    bytes: new Uint8Array(0),
    subjectStart: 0,
    subjectEnd: 0,
    replyStart: 0,
    replyEnd: 0,
    headerStart: 0,
    payloadStart: 0,
    payloadEnd: 0,
  };
}
