import { latin1Bytes, latin1Text, readDecimal } from '../../engine/base/bytes.ts';
import { pingFrame, pongFrame } from '../../engine/wire/frame-writer.ts';
import { ServerFrameReader } from '../../engine/wire/server-frames.ts';
import type { MessageFrame } from '../../engine/wire/server-frames.ts';
import { isRecycling } from '../transport-tcp.ts';
import type { Transport } from '../transport.ts';

export interface WireOptions {
  /** Shown by the server; also the middle token of this connection's inbox, so without dots or spaces. */
  readonly name: string;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
}

/** The connection ended, was refused, or the server said `-ERR`. What was in flight has an unknown outcome. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** No answer within the time that the caller gave; the request may have taken effect. */
export class WireTimeoutError extends Error {
  override readonly name = 'WireTimeoutError';
}

type FrameHandler = (frame: MessageFrame) => void;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const connectTimeoutMs = 10_000;

/**
 * One connection of a load generator to a NATS server: handshake, subscriptions by sid, writes, and a few
 * requests. Frames are handed on in place; a handler must not keep them.
 */
export class WireConnection {
  /** Subjects below it are this connection's own. */
  readonly inbox: string;
  readonly #transport: Transport;
  readonly #reader: ServerFrameReader;
  readonly #handlers: FrameHandler[] = [ignoreFrame];
  readonly #pongs: Waiter[] = [];
  readonly #options: WireOptions;
  #info = '';
  #onInfo: () => void = ignore;
  #chunkEnd: () => void = ignore;
  #chunkStart: () => void = ignore;
  #writable: () => void = ignore;
  #closed: (error: WireError) => void = ignore;
  #requestCount = 0;
  #isWritable = true;
  #error: WireError | null = null;
  #isClosing = false;

  private constructor(transport: Transport, options: WireOptions) {
    this.#transport = transport;
    this.#options = options;
    this.inbox = `_INBOX.${options.name}`;
    this.#reader = new ServerFrameReader({
      info: (json) => this.#takeInfo(json),
      message: (frame) => this.#dispatch(frame),
      ping: () => void this.#transport.write(pongFrame.slice()),
      pong: () => this.#pongs.shift()?.resolve(),
      ok: ignore,
      error: (text) => this.#fail(new WireError(`the server says ${text}`)),
      violation: (text) => this.#fail(new WireError(`the server sent no NATS frame: ${text}`)),
    });
    transport.onData((bytes) => {
      // What arrives after the end is nobody's: the accounts are closed.
      if (this.#error !== null) return;
      this.#chunkStart();
      this.#reader.feed(bytes);
      this.#chunkEnd();
    });
    transport.onDrain(() => this.#drained());
    transport.onClose((error) =>
      this.#fail(new WireError(error?.message ?? 'the server closed the connection')),
    );
  }

  /**
   * Shakes hands and waits for the first PONG.
   * @throws WireError when the server refuses or the connection fails, WireTimeoutError after 10 s.
   */
  static async open(transport: Transport, options: WireOptions): Promise<WireConnection> {
    const connection = new WireConnection(transport, options);
    try {
      await connection.#handshake();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** The server's INFO, as JSON text. */
  get info(): string {
    return this.#info;
  }

  /** False while the other side takes nothing more; `onWritable` tells when it does again. */
  get isWritable(): boolean {
    return this.#isWritable && this.#error === null;
  }

  /** Why it ended, or null while it lives. */
  get error(): WireError | null {
    return this.#error;
  }

  /** Called before and after the frames of one socket read: the places to read a clock and to write. */
  onChunk(start: () => void, end: () => void): void {
    this.#chunkStart = start;
    this.#chunkEnd = end;
  }

  onWritable(handler: () => void): void {
    this.#writable = handler;
  }

  /** Calls back with bytes given to `send` once their memory is free; false when this transport never tells. */
  onWritten(handler: (bytes: Uint8Array) => void): boolean {
    if (!isRecycling(this.#transport)) return false;
    this.#transport.onWritten(handler);
    return true;
  }

  onClose(handler: (error: WireError) => void): void {
    this.#closed = handler;
  }

  /** Messages for `subject` reach the handler from now on; returns the sid. */
  subscribe(subject: string, handler: FrameHandler): number {
    const sid = this.#handlers.push(handler) - 1;
    this.send(latin1Bytes(`SUB ${subject} ${sid}\r\n`));
    return sid;
  }

  unsubscribe(sid: number): void {
    this.#handlers[sid] = ignoreFrame;
    this.send(latin1Bytes(`UNSUB ${sid}\r\n`));
  }

  /** Whole frames; the array belongs to the connection afterwards. */
  send(bytes: Uint8Array): void {
    if (this.#error !== null) return;
    if (!this.#transport.write(bytes)) this.#isWritable = false;
  }

  /** Resolves when the server has read all that was sent before. @throws WireError */
  roundTrip(): Promise<void> {
    if (this.#error !== null) return Promise.reject(this.#error);
    this.send(pingFrame.slice());
    return new Promise((resolve, reject) => this.#pongs.push({ resolve, reject }));
  }

  /**
   * The reply's payload, as text of single-byte characters.
   * @throws WireError when nobody listens or the connection ends, WireTimeoutError without a reply in time.
   */
  async request(subject: string, body: string, timeoutMs = 5000): Promise<string> {
    if (this.#error !== null) throw this.#error;
    this.#requestCount += 1;
    const reply = `${this.inbox}.r.${this.#requestCount}`;
    let sid = 0;
    const answer = new Promise<string>((resolve, reject) => {
      sid = this.subscribe(reply, (frame) => {
        if (frame.status === 503) reject(new WireError(`nobody answers ${subject}`));
        else resolve(latin1Text(frame.bytes, frame.payloadStart, frame.payloadEnd));
      });
      this.#pongs.push({ resolve: ignore, reject });
    });
    // The PING behind the request lets a lost connection reject it.
    this.send(latin1Bytes(`PUB ${subject} ${reply} ${body.length}\r\n${body}\r\nPING\r\n`));
    try {
      return await withTimeout(answer, timeoutMs, `no reply to ${subject} within ${timeoutMs} ms`);
    } finally {
      this.unsubscribe(sid);
    }
  }

  close(): void {
    this.#isClosing = true;
    this.#fail(new WireError('closed by this side'));
  }

  async #handshake(): Promise<void> {
    const info = new Promise<void>((resolve, reject) => {
      this.#onInfo = resolve;
      this.#closed = reject;
    });
    await withTimeout(info, connectTimeoutMs, `no INFO from the server within ${connectTimeoutMs} ms`);
    this.send(latin1Bytes(connectLine(this.#options)));
    await withTimeout(this.roundTrip(), connectTimeoutMs, `no PONG within ${connectTimeoutMs} ms of CONNECT`);
    this.#closed = ignore;
  }

  #takeInfo(json: string): void {
    this.#info = json;
    this.#onInfo();
  }

  #dispatch(frame: MessageFrame): void {
    const handler = this.#handlers[readDecimal(frame.bytes, frame.sidStart, frame.sidEnd)];
    if (handler !== undefined) handler(frame);
  }

  #drained(): void {
    this.#isWritable = true;
    this.#writable();
  }

  #fail(error: WireError): void {
    if (this.#error !== null) return;
    this.#error = error;
    this.#reader.stop();
    this.#transport.close();
    for (const waiter of this.#pongs.splice(0)) waiter.reject(error);
    if (!this.#isClosing) this.#closed(error);
  }
}

function connectLine(options: WireOptions): string {
  const connect = {
    verbose: false,
    pedantic: false,
    lang: 'oncemark',
    version: '1',
    protocol: 1,
    headers: true,
    no_responders: true,
    name: options.name,
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.password === undefined ? {} : { pass: options.password }),
    ...(options.token === undefined ? {} : { auth_token: options.token }),
  };
  return `CONNECT ${JSON.stringify(connect)}\r\n`;
}

async function withTimeout<T>(promise: Promise<T>, timeoutMs: number, sentence: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new WireTimeoutError(sentence)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function ignore(): void {}

function ignoreFrame(): void {}
