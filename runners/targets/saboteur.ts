// Plants faults between a generator and any target, at the level of bytes: the positive controls of the auditor.
// Publishes and acks are counted from 1 over all connections of the target; a fault strikes once.

import { latin1Bytes, latin1Text } from '../../engine/base/bytes.ts';
import { subjectMatches } from '../../engine/base/subject.ts';
import { ClientFrameReader } from '../../engine/wire/client-frames.ts';
import type { PublishFrame } from '../../engine/wire/client-frames.ts';
import { FrameWriter } from '../../engine/wire/frame-writer.ts';
import { ServerFrameReader } from '../../engine/wire/server-frames.ts';
import type { MessageFrame } from '../../engine/wire/server-frames.ts';
import type { Transport } from '../transport.ts';
import type { Fault, FaultKind } from './fault.ts';

const frameLimits = { maxControlLine: 1_048_576, maxPayload: 67_108_864 };
const reorderWaitMs = 100;

/** The faults of one target and how far its publishes and acks have come. */
export class FaultScript {
  publishCount = 0;
  ackCount = 0;
  readonly #faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
  }

  /** The fault that strikes the publish counted just now, or null. */
  atPublish(): Fault | null {
    return this.#faults.find((fault) => fault.kind !== 'redeliver' && fault.at === this.publishCount) ?? null;
  }

  strikesAck(): boolean {
    return this.#faults.some((fault) => fault.kind === 'redeliver' && fault.at === this.ackCount);
  }
}

/** The same connection with the script's faults in it. */
export function sabotage(inner: Transport, script: FaultScript): Transport {
  return new SabotagedTransport(inner, script);
}

interface Subscription {
  readonly sid: string;
  readonly pattern: string;
}

class SabotagedTransport implements Transport {
  readonly #inner: Transport;
  readonly #script: FaultScript;
  readonly #reader: ClientFrameReader;
  readonly #observer: ServerFrameReader;
  readonly #out = new FrameWriter(4096);
  readonly #subscriptions: Subscription[] = [];
  #data: (bytes: Uint8Array) => void = ignore;
  #drain: () => void = ignore;
  #heldPublish: Uint8Array | null = null;
  #awaitedReply: string | null = null;
  #stalledOut: Uint8Array[] | null = null;
  #stalledIn: Uint8Array[] = [];

  constructor(inner: Transport, script: FaultScript) {
    this.#inner = inner;
    this.#script = script;
    this.#reader = this.#clientReader();
    this.#reader.headersAllowed = true;
    this.#observer = new ServerFrameReader({
      info: ignore,
      message: (frame) => this.#observe(frame),
      ping: ignore,
      pong: ignore,
      ok: ignore,
      error: ignore,
      violation: ignore,
    });
    inner.onData((bytes) => this.#receive(bytes));
    inner.onDrain(() => this.#drain());
  }

  write(bytes: Uint8Array): boolean {
    this.#reader.feed(bytes);
    return this.#flush();
  }

  onData(handler: (bytes: Uint8Array) => void): void {
    this.#data = handler;
  }

  onDrain(handler: () => void): void {
    this.#drain = handler;
  }

  onClose(handler: (error: Error | null) => void): void {
    this.#inner.onClose(handler);
  }

  close(): void {
    this.#inner.close();
  }

  #clientReader(): ClientFrameReader {
    const out = this.#out;
    const handler = {
      connect: (json: string) => out.text(`CONNECT ${json}\r\n`),
      publish: (frame: PublishFrame) => this.#publish(frame),
      subscribe: (subject: string, queue: string | null, sid: string) => {
        this.#subscriptions.push({ sid, pattern: subject });
        out.text(`SUB ${subject} ${queue === null ? '' : `${queue} `}${sid}\r\n`);
      },
      unsubscribe: (sid: string, max: number) => out.text(`UNSUB ${sid}${max === 0 ? '' : ` ${max}`}\r\n`),
      ping: () => out.text('PING\r\n'),
      pong: () => out.text('PONG\r\n'),
      violation: ignore,
    };
    return new ClientFrameReader(handler, frameLimits);
  }

  // What this side hears passes unchanged; a stall holds it back in order.
  #receive(bytes: Uint8Array): void {
    this.#observer.feed(bytes);
    if (this.#stalledOut === null) this.#data(bytes);
    else this.#stalledIn.push(bytes.slice());
  }

  #publish(frame: PublishFrame): void {
    const subject = latin1Text(frame.bytes, frame.subjectStart, frame.subjectEnd);
    if (subject.startsWith('$JS.ACK.')) this.#acknowledge(frame);
    else if (frame.replyStart === frame.replyEnd || subject.startsWith('$') || subject.startsWith('_')) {
      this.#forward(frame);
    } else this.#store(frame, subject);
  }

  #acknowledge(frame: PublishFrame): void {
    this.#script.ackCount += 1;
    if (!this.#script.strikesAck()) {
      this.#forward(frame);
      return;
    }
    // Swallowed; a double ack is confirmed all the same.
    if (frame.replyEnd > frame.replyStart) this.#answer(replyOf(frame), '');
  }

  #store(frame: PublishFrame, subject: string): void {
    this.#script.publishCount += 1;
    const fault = this.#script.atPublish();
    if (fault !== null) this.#strike(fault, frame, subject);
    else this.#forward(frame);
    if (this.#heldPublish !== null && fault?.kind !== 'reorder') this.#releaseHeld();
  }

  #strike(fault: Fault, frame: PublishFrame, subject: string): void {
    const kind: FaultKind = fault.kind;
    switch (kind) {
      case 'lose':
        this.#awaitedReply = replyOf(frame);
        this.#forward(frame);
        break;
      case 'duplicate':
        this.#forward(frame);
        this.#forwardUnderOtherId(frame);
        break;
      case 'reorder':
        this.#hold(frame);
        break;
      case 'false-duplicate':
        this.#answer(replyOf(frame), `{"stream":"${subject.split('.')[0]}","seq":1,"duplicate":true}`);
        break;
      case 'stall':
        this.#flush();
        this.#stall(fault.durationMs);
        this.#forward(frame);
        break;
      case 'redeliver':
        break; // strikes acks
    }
  }

  #forward(frame: PublishFrame): void {
    writePublish(this.#out, frame, replyOf(frame));
  }

  // The server cannot know the second copy by its header; the body still says whose it is.
  #forwardUnderOtherId(frame: PublishFrame): void {
    const bytes = frame.bytes.slice(frame.headerStart, frame.payloadEnd);
    const headerBytes = frame.payloadStart - frame.headerStart;
    if (headerBytes > 0) bytes[headerBytes - 5] = bytes[headerBytes - 5] === 33 ? 35 : 33;
    const copy: PublishFrame = { ...frame };
    copy.bytes = new Uint8Array(frame.payloadEnd);
    copy.bytes.set(frame.bytes.subarray(0, frame.headerStart));
    copy.bytes.set(bytes, frame.headerStart);
    writePublish(this.#out, copy, '_INBOX.saboteur.copy');
  }

  #hold(frame: PublishFrame): void {
    const writer = new FrameWriter(4096);
    writePublish(writer, frame, replyOf(frame));
    this.#heldPublish = writer.take();
    setTimeout(() => {
      this.#releaseHeld();
      this.#flush();
    }, reorderWaitMs);
  }

  #releaseHeld(): void {
    const held = this.#heldPublish;
    this.#heldPublish = null;
    if (held !== null) this.#out.copy(held, 0, held.length);
  }

  #stall(durationMs: number): void {
    this.#stalledOut = [];
    setTimeout(() => {
      const out = this.#stalledOut ?? [];
      this.#stalledOut = null;
      for (const bytes of out) this.#inner.write(bytes);
      for (const bytes of this.#stalledIn.splice(0)) this.#data(bytes);
      this.#drain();
    }, durationMs);
  }

  /** Whether the caller may go on writing. */
  #flush(): boolean {
    const isWritable = this.#out.length === 0 || this.#pass(this.#out.take());
    return isWritable && this.#stalledOut === null;
  }

  #pass(bytes: Uint8Array): boolean {
    if (this.#stalledOut === null) return this.#inner.write(bytes);
    this.#stalledOut.push(bytes);
    return false;
  }

  // In the server's name. Not at once: the generator is in the middle of its write.
  #answer(subject: string, payload: string): void {
    const subscription = this.#subscriptions.find((entry) => subjectMatches(entry.pattern, subject));
    if (subscription === undefined) return;
    const bytes = latin1Bytes(`MSG ${subject} ${subscription.sid} ${payload.length}\r\n${payload}\r\n`);
    setImmediate(() => this.#data(bytes));
  }

  #observe(frame: MessageFrame): void {
    if (this.#awaitedReply === null) return;
    if (latin1Text(frame.bytes, frame.subjectStart, frame.subjectEnd) !== this.#awaitedReply) return;
    this.#awaitedReply = null;
    const text = latin1Text(frame.bytes, frame.payloadStart, frame.payloadEnd);
    const stream = /"stream": ?"([^"]+)"/.exec(text)?.[1];
    const sequence = /"seq": ?(\d+)/.exec(text)?.[1];
    if (stream === undefined || sequence === undefined) return;
    const body = `{"seq":${sequence},"no_erase":true}`;
    const subject = `$JS.API.STREAM.MSG.DELETE.${stream}`;
    this.#inner.write(latin1Bytes(`PUB ${subject} _INBOX.saboteur.delete ${body.length}\r\n${body}\r\n`));
  }
}

function replyOf(frame: PublishFrame): string {
  return latin1Text(frame.bytes, frame.replyStart, frame.replyEnd);
}

function writePublish(writer: FrameWriter, frame: PublishFrame, reply: string): void {
  const headerBytes = frame.payloadStart - frame.headerStart;
  const totalBytes = frame.payloadEnd - frame.headerStart;
  writer.text(headerBytes === 0 ? 'PUB ' : 'HPUB ');
  writer.copy(frame.bytes, frame.subjectStart, frame.subjectEnd);
  if (reply !== '') writer.text(` ${reply}`);
  writer.text(headerBytes === 0 ? ` ${totalBytes}\r\n` : ` ${headerBytes} ${totalBytes}\r\n`);
  writer.copy(frame.bytes, frame.headerStart, frame.payloadEnd);
  writer.text('\r\n');
}

function ignore(): void {}
