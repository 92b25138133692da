// The NATS client of the golden scripts: small, and a second opinion on the protocol beside engine/wire.

import type { GoldenConnection, GoldenTarget } from './golden-target.ts';

/** One message as it arrived. */
export interface Received {
  readonly subject: string;
  readonly reply: string;
  /** Status of the header block, 0 without one. */
  readonly status: number;
  readonly description: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly atNs: number;
}

export interface Inbox {
  readonly subject: string;
  readonly messages: Received[];
}

type Headers = readonly (readonly [name: string, value: string])[];

export interface Outgoing {
  readonly subject: string;
  readonly reply?: string;
  readonly headers?: Headers;
  readonly body?: string;
}

const connectOptions = {
  verbose: false,
  pedantic: false,
  headers: true,
  no_responders: true,
  protocol: 1,
  lang: 'golden',
  version: '1',
};

export class GoldenClient {
  readonly #target: GoldenTarget;
  readonly #inboxes = new Map<number, Inbox>();
  #connection: GoldenConnection | null = null;
  #buffer: Buffer = Buffer.alloc(0);
  #lastSid = 0;
  #pongs = 0;
  #pings = 0;
  /** Texts of `-ERR` lines, in order. */
  readonly errors: string[] = [];

  constructor(target: GoldenTarget) {
    this.#target = target;
  }

  /** Connects, or connects again after a restart; subscriptions made before are made again. */
  async open(): Promise<void> {
    this.#connection?.close();
    this.#buffer = Buffer.alloc(0);
    this.#connection = await this.#target.connect({
      onBytes: (bytes) => this.#take(bytes),
      onClose: () => {},
    });
    this.#write(`CONNECT ${JSON.stringify(connectOptions)}\r\n`);
    for (const [sid, inbox] of this.#inboxes) this.#write(`SUB ${inbox.subject} ${sid}\r\n`);
    await this.flush();
  }

  close(): void {
    this.#connection?.close();
  }

  subscribe(subject: string): Inbox {
    this.#lastSid += 1;
    const inbox: Inbox = { subject, messages: [] };
    this.#inboxes.set(this.#lastSid, inbox);
    this.#write(`SUB ${subject} ${this.#lastSid}\r\n`);
    return inbox;
  }

  unsubscribe(inbox: Inbox): void {
    for (const [sid, other] of this.#inboxes) {
      if (other !== inbox) continue;
      this.#inboxes.delete(sid);
      this.#write(`UNSUB ${sid}\r\n`);
    }
  }

  /** A new inbox with a subject of its own. */
  inbox(): Inbox {
    return this.subscribe(`_INBOX.golden.${this.#lastSid + 1}`);
  }

  publish(message: Outgoing): void {
    const body = Buffer.from(message.body ?? '', 'latin1');
    const reply = message.reply === undefined ? '' : `${message.reply} `;
    const headers = message.headers ?? [];
    if (headers.length === 0) {
      this.#write(`PUB ${message.subject} ${reply}${body.length}\r\n`);
    } else {
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const block = Buffer.from(`NATS/1.0\r\n${lines}\r\n`, 'latin1');
      this.#write(`HPUB ${message.subject} ${reply}${block.length} ${block.length + body.length}\r\n`);
      this.#connection?.send(block);
    }
    this.#connection?.send(body);
    this.#write('\r\n');
  }

  /** The first answer, or null when none came in time. */
  async request(message: Outgoing, timeoutNs = 1e9): Promise<Received | null> {
    const inbox = this.inbox();
    this.publish({ ...message, reply: inbox.subject });
    await this.#target.pass(this.#target.nowNs() + timeoutNs, () => inbox.messages.length > 0);
    this.unsubscribe(inbox);
    return inbox.messages[0] ?? null;
  }

  /** Returns once the server has taken in everything sent before. */
  async flush(): Promise<void> {
    this.#pings += 1;
    const wanted = this.#pings;
    this.#write('PING\r\n');
    await this.#target.pass(this.#target.nowNs() + 5e9, () => this.#pongs >= wanted);
    if (this.#pongs < wanted) throw new Error('the server did not answer a PING within 5 s');
  }

  #write(text: string): void {
    this.#connection?.send(Buffer.from(text, 'latin1'));
  }

  #take(bytes: Uint8Array): void {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    while (this.#takeOne());
  }

  #takeOne(): boolean {
    const end = this.#buffer.indexOf('\r\n');
    if (end < 0) return false;
    const words = this.#buffer.toString('latin1', 0, end).split(' ');
    const isMessage = words[0] === 'MSG' || words[0] === 'HMSG';
    const payloadLength = isMessage ? Number(words.at(-1)) : 0;
    const frameLength = end + 2 + (isMessage ? payloadLength + 2 : 0);
    if (this.#buffer.length < frameLength) return false;
    const payload = this.#buffer.subarray(end + 2, end + 2 + payloadLength);
    this.#buffer = this.#buffer.subarray(frameLength);
    this.#handle(words, payload);
    return true;
  }

  #handle(words: readonly string[], payload: Buffer): void {
    if (words[0] === 'PONG') this.#pongs += 1;
    else if (words[0] === 'PING') this.#write('PONG\r\n');
    else if (words[0] === '-ERR') this.errors.push(words.slice(1).join(' '));
    else if (words[0] === 'MSG' || words[0] === 'HMSG') this.#deliver(words, payload);
  }

  // MSG subject sid [reply] size; HMSG has the header's length before the size.
  #deliver(words: readonly string[], payload: Buffer): void {
    const hasHeaders = words[0] === 'HMSG';
    const reply = words.length === (hasHeaders ? 6 : 5) ? (words[3] ?? '') : '';
    const headerLength = hasHeaders ? Number(words.at(-2)) : 0;
    const block = readHeaderBlock(payload.toString('latin1', 0, headerLength));
    const body = payload.toString('latin1', headerLength);
    const message: Received = { subject: words[1] ?? '', reply, ...block, body, atNs: this.#target.nowNs() };
    this.#inboxes.get(Number(words[2]))?.messages.push(message);
  }
}

/** Status and fields of `NATS/1.0 408 Request Timeout\r\nName: value\r\n\r\n`; also of the block that MSG.GET gives. */
export function readHeaderBlock(block: string): Pick<Received, 'status' | 'description' | 'headers'> {
  const [first = '', ...lines] = block.split('\r\n');
  const status = /^NATS\/1\.0 +(\d{3})(?: +(.*))?$/.exec(first);
  const fields = lines.filter((line) => line !== '');
  return {
    status: status === null ? 0 : Number(status[1]),
    description: status?.[2] ?? '',
    headers: fields.map((line) => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  };
}
