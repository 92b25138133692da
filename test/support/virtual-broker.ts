// A broker without sockets and with a clock that moves when it is told, and clients that are one object each. All of
// it is synchronous: what a test sends is answered when the call returns.

import { Broker } from '../../engine/host/broker.ts';
import type { ClientConnection } from '../../engine/host/client-connection.ts';
import { parseConfig, resolveOptions, type ServerFlags } from '../../engine/mod.ts';

export interface Delivered {
  readonly subject: string;
  readonly sid: string;
  readonly reply: string;
  /** The header block as it came, '' without one. */
  readonly header: string;
  readonly body: string;
}

export interface BrokerSetup {
  readonly flags?: ServerFlags;
  /** Text of a configuration file. */
  readonly config?: string;
}

export type Headers = Readonly<Record<string, string>>;

export class VirtualBroker {
  readonly broker: Broker;
  nowNs = 0;
  wakeCount = 0;

  constructor({ flags = {}, config }: BrokerSetup = {}) {
    this.broker = new Broker({
      server: resolveOptions(
        { jetstream: true, ...flags },
        config === undefined ? null : parseConfig(config),
      ),
      clock: { now: () => this.nowNs, epoch: { unixSeconds: 1_800_000_000, nanos: 0 } },
      seed: 'virtual',
      wake: () => {
        this.wakeCount += 1;
      },
    });
  }

  /** Takes turns until there is nothing left to do; fails when that never happens. */
  settle(): void {
    for (let turns = 0; turns < 10_000; turns += 1) if (!this.broker.turn()) return;
    throw new Error('the broker never comes to rest');
  }

  /** Lets time pass; what falls due on the way happens at its moment. */
  pass(durationNs: number): void {
    const untilNs = this.nowNs + durationNs;
    this.settle();
    for (let steps = 0; this.broker.nextTimerNs <= untilNs; steps += 1) {
      if (steps > 100_000) throw new Error('timers never run out');
      this.nowNs = Math.max(this.nowNs, this.broker.nextTimerNs);
      this.settle();
    }
    this.nowNs = untilNs;
    this.settle();
  }

  /** A client; with `connect` null it says nothing by itself. */
  client(connect: object | null = {}): VirtualClient {
    return new VirtualClient(this, connect);
  }
}

const connectDefaults = { verbose: false, pedantic: false, headers: true, no_responders: true, protocol: 1 };

export class VirtualClient {
  readonly connection: ClientConnection;
  readonly #server: VirtualBroker;
  /** Lines that are no messages, INFO included. */
  readonly lines: string[] = [];
  readonly messages: Delivered[] = [];
  isClosed = false;
  /** What the socket would still have to send; a test sets it to play a client that does not read. */
  pendingBytes = 0;
  readonly #frames = new ServerFrames(
    (line) => this.lines.push(line),
    (message) => this.messages.push(message),
  );
  #inboxCount = 0;

  constructor(server: VirtualBroker, connect: object | null) {
    this.#server = server;
    const sink = {
      write: (bytes: Uint8Array) => this.#frames.take(bytes),
      close: () => {
        this.isClosed = true;
      },
    };
    const pending = Object.defineProperty(sink, 'pendingBytes', { get: () => this.pendingBytes });
    this.connection = server.broker.connect('127.0.0.1', pending as typeof sink & { pendingBytes: number });
    if (connect !== null) this.send(`CONNECT ${JSON.stringify({ ...connectDefaults, ...connect })}\r\n`);
  }

  /** Sends bytes or text of one byte a character, and lets the broker do what they bring. */
  send(...parts: readonly (string | Uint8Array)[]): void {
    for (const part of parts) {
      this.connection.feed(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    }
    this.#server.settle();
  }

  subscribe(subject: string, sid: number, queue = ''): void {
    this.send(`SUB ${subject} ${queue} ${sid}\r\n`);
  }

  publish(subject: string, body = '', options: { reply?: string; headers?: Headers } = {}): void {
    this.send(publishText(subject, body, options));
  }

  /** The answers to one message, in order. */
  request(subject: string, body = '', headers?: Headers): Delivered[] {
    this.#inboxCount += 1;
    const sid = 1_000_000 + this.#inboxCount;
    const reply = `_INBOX.v.${sid}`;
    this.send(`SUB ${reply} ${sid}\r\n`);
    this.publish(subject, body, { reply, ...(headers === undefined ? {} : { headers }) });
    this.send(`UNSUB ${sid}\r\n`);
    return this.messages.filter((message) => message.sid === String(sid));
  }

  /** Calls the JetStream API and reads the JSON answer. */
  api(call: string, body: object | string = ''): Record<string, unknown> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = this.request(`$JS.API.${call}`, text)[0];
    if (answer === undefined) throw new Error(`${call} was not answered`);
    return JSON.parse(answer.body) as Record<string, unknown>;
  }

  /** The PubAck of a publish, `{ status }` instead when nobody stores it. */
  store(subject: string, body = '', headers?: Headers): Record<string, unknown> {
    const answer = this.request(subject, body, headers)[0];
    if (answer === undefined) throw new Error(`${subject} was not answered`);
    return answer.body === ''
      ? { status: answer.header }
      : (JSON.parse(answer.body) as Record<string, unknown>);
  }

  /** Opens an inbox, asks the consumer for messages, and gives the inbox's sid. */
  pull(stream: string, consumer: string, ask: object | string = ''): string {
    this.#inboxCount += 1;
    const sid = 1_000_000 + this.#inboxCount;
    this.send(`SUB _INBOX.v.${sid} ${sid}\r\n`);
    const body = typeof ask === 'string' ? ask : JSON.stringify(ask);
    this.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, body, { reply: `_INBOX.v.${sid}` });
    return String(sid);
  }

  on(sid: string | number): Delivered[] {
    return this.messages.filter((message) => message.sid === String(sid));
  }
}

/** Cuts a server's bytes into lines and messages: a second opinion beside engine/wire. */
export class ServerFrames {
  readonly #onLine: (line: string) => void;
  readonly #onMessage: (message: Delivered) => void;
  #buffer = Buffer.alloc(0);

  constructor(onLine: (line: string) => void, onMessage: (message: Delivered) => void) {
    this.#onLine = onLine;
    this.#onMessage = onMessage;
  }

  take(bytes: Uint8Array): void {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    while (this.#takeOne());
  }

  #takeOne(): boolean {
    const end = this.#buffer.indexOf('\r\n');
    if (end < 0) return false;
    const line = this.#buffer.toString('latin1', 0, end);
    const words = line.split(' ');
    const isMessage = words[0] === 'MSG' || words[0] === 'HMSG';
    const size = isMessage ? Number(words.at(-1)) : 0;
    const frameLength = end + 2 + (isMessage ? size + 2 : 0);
    if (this.#buffer.length < frameLength) return false;
    const payload = this.#buffer.toString('latin1', end + 2, end + 2 + size);
    this.#buffer = this.#buffer.subarray(frameLength);
    if (isMessage) this.#onMessage(messageOf(words, payload));
    else this.#onLine(line);
    return true;
  }
}

function messageOf(words: readonly string[], payload: string): Delivered {
  const hasHeaders = words[0] === 'HMSG';
  const headerLength = hasHeaders ? Number(words.at(-2)) : 0;
  return {
    subject: words[1] ?? '',
    sid: words[2] ?? '',
    reply: words.length === (hasHeaders ? 6 : 5) ? (words[3] ?? '') : '',
    header: payload.slice(0, headerLength),
    body: payload.slice(headerLength),
  };
}

/** A PUB or HPUB frame, one byte a character. */
export function publishText(
  subject: string,
  body: string,
  { reply, headers }: { reply?: string; headers?: Headers } = {},
): string {
  const to = reply === undefined ? subject : `${subject} ${reply}`;
  if (headers === undefined) return `PUB ${to} ${body.length}\r\n${body}\r\n`;
  const block = headerText(headers);
  return `HPUB ${to} ${block.length} ${block.length + body.length}\r\n${block}${body}\r\n`;
}

function headerText(headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `NATS/1.0\r\n${lines.join('')}\r\n`;
}
