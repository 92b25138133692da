import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import { ClientFrameReader } from '../../../engine/wire/client-frames.ts';
import type { PublishFrame } from '../../../engine/wire/client-frames.ts';
import type { Transport } from '../../../runners/transport.ts';

/** What a client published, as text. */
export interface Published {
  readonly subject: string;
  readonly reply: string;
  readonly header: string;
  readonly body: Uint8Array;
}

/** The server's end of a connection in memory: a test reads what was sent and says what is answered. */
export class MemoryServer {
  readonly published: Published[] = [];
  readonly connects: string[] = [];
  readonly subscriptions = new Map<string, string>();
  readonly transport: Transport;
  /** What `write` gives back; with false the client must wait for `drain`. */
  isWritable = true;
  isClosed = false;
  answersPings = true;
  pongCount = 0;
  #data: (bytes: Uint8Array) => void = () => {};
  #drain: () => void = () => {};
  #close: (error: Error | null) => void = () => {};

  constructor() {
    const reader = new ClientFrameReader(
      {
        connect: (json) => void this.connects.push(json),
        publish: (frame) => void this.published.push(copyOf(frame)),
        subscribe: (subject, _queue, sid) => void this.subscriptions.set(subject, sid),
        unsubscribe: (sid) => {
          for (const [subject, known] of this.subscriptions) {
            if (known === sid) this.subscriptions.delete(subject);
          }
        },
        ping: () => {
          if (this.answersPings) setImmediate(() => this.say('PONG\r\n'));
        },
        pong: () => void (this.pongCount += 1),
        violation: (text) => {
          throw new Error(`the client broke the protocol: ${text}`);
        },
      },
      { maxControlLine: 4096, maxPayload: 1_048_576 },
    );
    reader.headersAllowed = true;
    this.transport = {
      write: (bytes) => {
        reader.feed(bytes);
        return this.isWritable;
      },
      onData: (handler) => void (this.#data = handler),
      onDrain: (handler) => void (this.#drain = handler),
      onClose: (handler) => void (this.#close = handler),
      close: () => void (this.isClosed = true),
    };
  }

  say(text: string): void {
    this.#data(latin1Bytes(text));
  }

  /** A message to whoever subscribed to the subject or to a wildcard for its last token. */
  deliver(subject: string, payload: string, reply = ''): void {
    this.say(this.frame(subject, payload, reply));
  }

  frame(subject: string, payload: string, reply = ''): string {
    const sid = this.sidOf(subject);
    return `MSG ${subject} ${sid} ${reply === '' ? '' : `${reply} `}${payload.length}\r\n${payload}\r\n`;
  }

  status(subject: string, status: string): void {
    const header = `NATS/1.0 ${status}\r\n\r\n`;
    this.say(`HMSG ${subject} ${this.sidOf(subject)} ${header.length} ${header.length}\r\n${header}\r\n`);
  }

  sidOf(subject: string): string {
    const wildcard = subject.replace(/[^.]+$/, '*');
    const sid = this.subscriptions.get(subject) ?? this.subscriptions.get(wildcard);
    if (sid === undefined) throw new Error(`nobody subscribed to ${subject}`);
    return sid;
  }

  drain(): void {
    this.isWritable = true;
    this.#drain();
  }

  hangUp(error: Error | null = null): void {
    this.#close(error);
  }
}

function copyOf(frame: PublishFrame): Published {
  return {
    subject: latin1Text(frame.bytes, frame.subjectStart, frame.subjectEnd),
    reply: latin1Text(frame.bytes, frame.replyStart, frame.replyEnd),
    header: latin1Text(frame.bytes, frame.headerStart, frame.payloadStart),
    body: frame.bytes.slice(frame.payloadStart, frame.payloadEnd),
  };
}
