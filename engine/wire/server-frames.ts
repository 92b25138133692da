// What servers send, read by the load generator.
import { carriageReturn, isBlank, lineFeed, space } from './ascii.ts';
import type { FrameLimits, PublishFrame } from './client-frames.ts';
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

/** One delivery; a PublishFrame with its subscription. Valid during the call only. */
export interface MessageFrame extends PublishFrame {
  sidStart: number;
  sidEnd: number;
  /** Three-digit status of the header block (spec 1.4), 0 without one. */
  status: number;
}

export interface ServerFrameHandler {
  info(json: string): void;
  message(frame: MessageFrame): void;
  ping(): void;
  pong(): void;
  ok(): void;
  /** Text of -ERR without its quotes. */
  error(text: string): void;
  /** The bytes are not of the protocol; the last call of all. */
  violation(text: string): void;
}

const operations = ['MSG', 'HMSG', '+OK', '-ERR', 'PING', 'PONG', 'INFO'] as const;

const unknownOperation = 'the server sent an unknown operation';

// A cluster's INFO names all its addresses, so it may be long.
const defaultLimits: FrameLimits = { maxControlLine: 1_048_576, maxPayload: 67_108_864 };

/** Reads a server's bytes, however they are cut into chunks, in place (spec 1.1). */
export class ServerFrameReader {
  readonly #handler: ServerFrameHandler;
  readonly #limits: FrameLimits;
  readonly #line = new FrameArguments();
  readonly #feed: FrameFeed;
  readonly #frame = emptyMessageFrame();
  #isStopped = false;

  constructor(handler: ServerFrameHandler, limits: FrameLimits = defaultLimits) {
    this.#handler = handler;
    this.#limits = limits;
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
      if (bytes[op] === 77 && bytes[op + 1] === 83 && bytes[op + 2] === 71 && bytes[op + 3] === space) {
        return this.#readMessage(bytes, at, op + 4, end, isHeader);
      }
    }
    const index = findOperation(operations, bytes, at, end);
    if (index === opIncomplete) return at;
    if (index === opUnknown) return this.#violate(unknownOperation, at);
    const operation = operations[index] as (typeof operations)[number];
    const argumentStart = at + operation.length;
    if (operation === 'MSG' || operation === 'HMSG') {
      if (argumentStart === end) return at;
      if (!isBlank(bytes[argumentStart] as number)) return this.#violate(unknownOperation, at);
      return this.#readMessage(bytes, at, argumentStart, end, operation === 'HMSG');
    }
    const next = lineEnd(bytes, argumentStart, end);
    if (this.#isTooLong(argumentStart, next, end)) return this.#violateLine(at);
    if (next === -1) return at;
    this.#dispatch(operation, utf8Text(bytes, argumentStart, next).trim());
    return next;
  }

  #dispatch(operation: Exclude<(typeof operations)[number], 'MSG' | 'HMSG'>, text: string): void {
    switch (operation) {
      case '+OK':
        return this.#handler.ok();
      case '-ERR':
        return this.#handler.error(text.replace(/^'(.*)'$/s, '$1'));
      case 'PING':
        return this.#handler.ping();
      case 'PONG':
        return this.#handler.pong();
      case 'INFO':
        return this.#handler.info(text);
    }
  }

  #readMessage(
    bytes: Uint8Array,
    at: number,
    argumentStart: number,
    end: number,
    hasHeaders: boolean,
  ): number {
    const line = this.#line;
    const headerStart = line.scan(bytes, argumentStart, end);
    if (this.#isTooLong(argumentStart, headerStart, end)) return this.#violateLine(at);
    if (headerStart === -1) return at;
    if (!line.readSizes(bytes, 2, hasHeaders)) {
      const count = argumentBytes(bytes, argumentStart, headerStart);
      return this.#violate(`the server sent a message line of ${count} bytes that is not one`, at);
    }
    if (line.totalBytes > this.#limits.maxPayload) {
      return this.#violate(
        `the server sent ${line.totalBytes} bytes, more than ${this.#limits.maxPayload}`,
        at,
      );
    }
    const payloadEnd = headerStart + line.totalBytes;
    if (payloadEnd + 2 > end) {
      this.#feed.frameBytes = payloadEnd + 2 - at;
      return at;
    }
    if (bytes[payloadEnd] !== carriageReturn || bytes[payloadEnd + 1] !== lineFeed) {
      return this.#violate('the server sent a payload without CRLF behind it', at);
    }
    this.#deliver(bytes, headerStart, payloadEnd);
    return payloadEnd + 2;
  }

  #deliver(bytes: Uint8Array, headerStart: number, payloadEnd: number): void {
    const frame = this.#frame;
    const line = this.#line;
    frame.bytes = bytes;
    frame.subjectStart = line.startOf(0);
    frame.subjectEnd = line.endOf(0);
    frame.sidStart = line.startOf(1);
    frame.sidEnd = line.endOf(1);
    frame.replyStart = line.hasReply ? line.startOf(2) : frame.sidEnd;
    frame.replyEnd = line.hasReply ? line.endOf(2) : frame.sidEnd;
    frame.headerStart = headerStart;
    frame.payloadStart = headerStart + line.headerBytes;
    frame.payloadEnd = payloadEnd;
    frame.status = line.headerBytes === 0 ? 0 : statusOf(bytes, headerStart, frame.payloadStart);
    this.#handler.message(frame);
  }

  #isTooLong(argumentStart: number, next: number, end: number): boolean {
    return (next === -1 ? end : next) - argumentStart > this.#limits.maxControlLine + 2;
  }

  #violateLine(at: number): number {
    return this.#violate(`the server sent a control line of over ${this.#limits.maxControlLine} bytes`, at);
  }

  #violate(text: string, at: number): number {
    this.#isStopped = true;
    this.#handler.violation(text);
    return at;
  }
}

// Behind `NATS/1.0 ` (nine bytes) in the block's first line.
function statusOf(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 12 || bytes[start + 8] !== space) return 0;
  let status = 0;
  for (let at = start + 9; at < start + 12; at += 1) {
    const digit = (bytes[at] as number) - 48;
    if (digit < 0 || digit > 9) return 0;
    status = status * 10 + digit;
  }
  return status;
}

function emptyMessageFrame(): MessageFrame {
  return {
    bytes: new Uint8Array(0),
    subjectStart: 0,
    subjectEnd: 0,
    sidStart: 0,
    sidEnd: 0,
    replyStart: 0,
    replyEnd: 0,
    headerStart: 0,
    payloadStart: 0,
    payloadEnd: 0,
    status: 0,
  };
}
