// One client on the protocol's own terms: CONNECT, subscriptions, PING, errors (spec 1). It knows no socket: bytes
// come in through `feed` and go out through a sink.

import { latin1Bytes } from '../base/bytes.ts';
import { isValidSubject } from '../base/subject.ts';
import { ClientFrameReader, type ClientFrameHandler, type PublishFrame } from '../wire/client-frames.ts';
import { FrameWriter, okFrame, pingFrame, pongFrame, writeError, writeInfo } from '../wire/frame-writer.ts';
import type { ConnectCredentials } from './authorization.ts';
import type { ClientSubscription, Receiver } from './route.ts';

/** Where a connection's bytes go. */
export interface ConnectionSink {
  /** Takes the bytes over until it says that they are written. */
  write(bytes: Uint8Array, written: (bytes: Uint8Array) => void): void;
  /** Bytes taken but not yet on the wire. */
  readonly pendingBytes: number;
  /** Sends what was written, then closes. */
  close(): void;
}

/** What the broker is to a connection. */
export interface ConnectionHost {
  readonly maxPayloadBytes: number;
  readonly maxControlLineBytes: number;
  readonly maxPendingBytes: number;
  readonly maxSubscriptions: number | null;
  readonly authRequired: boolean;
  authorize(credentials: ConnectCredentials): boolean;
  infoJson(connection: ClientConnection, isAnswerToPing: boolean): string;
  readonly sendsSecondInfo: boolean;
  /** Frames of this chunk follow; the bytes stay as they are until `endChunk`. */
  beginChunk(chunk: Uint8Array): void;
  endChunk(): void;
  publish(connection: ClientConnection, frame: PublishFrame): void;
  subscribe(subscription: ClientSubscription): void;
  unsubscribe(subscription: ClientSubscription): void;
  /** The connection has bytes to flush at the end of the turn. */
  wrote(connection: ClientConnection): void;
  closed(connection: ClientConnection): void;
}

interface ConnectFields extends ConnectCredentials {
  readonly verbose?: boolean;
  readonly pedantic?: boolean;
  readonly echo?: boolean;
  readonly headers?: boolean;
  readonly no_responders?: boolean;
  readonly protocol?: number;
  readonly name?: string;
  readonly lang?: string;
  readonly version?: string;
}

const writerBytes = 128 * 1024;
const flushBytes = 96 * 1024;

export class ClientConnection implements ClientFrameHandler, Receiver {
  readonly id: number;
  readonly address: string;
  readonly writer = new FrameWriter(writerBytes);
  readonly subscriptions = new Map<string, ClientSubscription>();
  readonly #host: ConnectionHost;
  readonly #sink: ConnectionSink;
  readonly #reader: ClientFrameReader;
  readonly #recycle = (bytes: Uint8Array): void => this.writer.recycle(bytes);
  #connected: ConnectFields | null = null;
  #isDirty = false;
  #sentSecondInfo = false;
  isClosed = false;
  isSlow = false;
  echo = true;
  headers = false;
  noResponders = false;
  verbose = false;
  pedantic = false;
  messagesIn = 0;
  bytesIn = 0;
  pingsOut = 0;

  constructor(id: number, address: string, host: ConnectionHost, sink: ConnectionSink) {
    this.id = id;
    this.address = address;
    this.#host = host;
    this.#sink = sink;
    this.#reader = new ClientFrameReader(this, {
      maxControlLine: host.maxControlLineBytes,
      maxPayload: host.maxPayloadBytes,
    });
    writeInfo(this.writer, host.infoJson(this, false));
    this.wrote();
  }

  get name(): string {
    return this.#connected?.name ?? '';
  }

  get client(): { lang: string; version: string } {
    return { lang: this.#connected?.lang ?? '', version: this.#connected?.version ?? '' };
  }

  get isConnected(): boolean {
    return this.#connected !== null;
  }

  /** Bytes from the client; handled before it returns. */
  feed(chunk: Uint8Array): void {
    if (this.isClosed) return;
    this.#host.beginChunk(chunk);
    this.#reader.feed(chunk);
    this.#host.endChunk();
  }

  /** Something was written to `writer`. */
  wrote(): void {
    if (this.writer.length >= flushBytes) this.flush();
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#host.wrote(this);
  }

  /** Hands what was written to the sink. A client that does not read is closed, without a word (spec 1.6). */
  flush(): void {
    this.#isDirty = false;
    if (this.writer.length === 0 || this.isClosed) return;
    this.#sink.write(this.writer.take(), this.#recycle);
    if (this.#sink.pendingBytes <= this.#host.maxPendingBytes) return;
    this.isSlow = true;
    this.close();
  }

  close(): void {
    if (this.isClosed) return;
    if (!this.isSlow) this.flush();
    this.isClosed = true;
    this.#reader.stop();
    for (const subscription of this.subscriptions.values()) this.#host.unsubscribe(subscription);
    this.subscriptions.clear();
    this.#host.closed(this);
    this.#sink.close();
  }

  /** Counts a delivery; false when the subscription has had all it asked for (spec A4). */
  admitDelivery(subscription: ClientSubscription): boolean {
    const { deliveredMax } = subscription;
    if (deliveredMax > 0 && subscription.deliveredCount >= deliveredMax) return false;
    subscription.deliveredCount += 1;
    if (subscription.deliveredCount === deliveredMax) this.#drop(subscription);
    return true;
  }

  #drop(subscription: ClientSubscription): void {
    if (this.subscriptions.get(subscription.sid) !== subscription) return;
    this.subscriptions.delete(subscription.sid);
    this.#host.unsubscribe(subscription);
  }

  error(text: string): void {
    writeError(this.writer, text);
    this.wrote();
  }

  sendPing(): void {
    this.pingsOut += 1;
    this.#put(pingFrame);
  }

  #put(frame: Uint8Array): void {
    this.writer.copy(frame, 0, frame.length);
    this.wrote();
  }

  /** `+OK` where the client asked for it. */
  confirm(): void {
    if (this.verbose) this.#put(okFrame);
  }

  // --- frames

  connect(json: string): void {
    const fields = parseConnect(json);
    if (fields === null) return this.violation(null);
    if (fields.protocol !== undefined && ![0, 1].includes(fields.protocol)) {
      return this.violation('invalid client protocol');
    }
    if (!this.#host.authorize(fields)) return this.violation('Authorization Violation');
    this.#connected = fields;
    this.verbose = fields.verbose ?? true;
    this.pedantic = fields.pedantic ?? true;
    this.echo = fields.echo ?? true;
    this.headers = fields.headers ?? false;
    this.noResponders = fields.no_responders ?? false;
    this.#reader.headersAllowed = this.headers;
    if (this.noResponders && !this.headers) return this.violation('no responders requires headers support');
    this.confirm();
  }

  // Until CONNECT, a server that asks for credentials takes nothing else (spec 1.1).
  #mayAct(): boolean {
    if (this.#connected !== null || !this.#host.authRequired) return true;
    this.violation('Authorization Violation');
    return false;
  }

  publish(frame: PublishFrame): void {
    if (!this.#mayAct()) return;
    this.messagesIn += 1;
    this.bytesIn += frame.payloadEnd - frame.headerStart;
    this.confirm();
    this.#host.publish(this, frame);
  }

  subscribe(subject: string, queue: string | null, sid: string): void {
    if (!this.#mayAct()) return;
    if (!isValidSubject(subject, true)) return this.error('Invalid Subject');
    const limit = this.#host.maxSubscriptions;
    if (limit !== null && this.subscriptions.size >= limit) {
      return this.error('maximum subscriptions exceeded');
    }
    if (!this.subscriptions.has(sid)) {
      const subscription: ClientSubscription = {
        kind: 'client',
        connection: this,
        pattern: subject,
        queue,
        sid,
        sidBytes: latin1Bytes(sid),
        deliveredCount: 0,
        deliveredMax: 0,
      };
      this.subscriptions.set(sid, subscription);
      this.#host.subscribe(subscription);
    }
    this.confirm();
  }

  unsubscribe(sid: string, max: number): void {
    if (!this.#mayAct()) return;
    const subscription = this.subscriptions.get(sid);
    if (subscription !== undefined) {
      subscription.deliveredMax = max;
      if (max === 0 || subscription.deliveredCount >= max) this.#drop(subscription);
    }
    this.confirm();
  }

  ping(): void {
    if (!this.#mayAct()) return;
    this.#put(pongFrame);
    if (this.#sentSecondInfo || !this.#host.sendsSecondInfo || (this.#connected?.protocol ?? 0) < 1) return;
    this.#sentSecondInfo = true;
    writeInfo(this.writer, this.#host.infoJson(this, true));
  }

  pong(): void {
    this.pingsOut = 0;
  }

  violation(text: string | null): void {
    if (text !== null) this.error(text);
    this.close();
  }
}

function parseConnect(json: string): ConnectFields | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null; // spec 1.1: a CONNECT that cannot be read closes the connection
  }
}
