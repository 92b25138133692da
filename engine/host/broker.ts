// The whole server without its sockets: connections, core NATS, JetStream. Driven by its owner: bytes go in through
// connections, `turn` does what they brought, and says when it wants to run again.

import { latin1Text, type ByteRange } from '../base/bytes.ts';
import type { Epoch, Nanos } from '../base/nanos.ts';
import { Prng } from '../base/prng.ts';
import { isValidSubject, patternsOverlap } from '../base/subject.ts';
import { EngineState } from '../core/engine-state.ts';
import { MemoryLog, type MessageLog, type SegmentMemory } from '../core/message-log.ts';
import { profileOf, type Profile } from '../core/profile.ts';
import type { PublishFrame } from '../wire/client-frames.ts';
import { statusBlock, statusLines } from '../wire/status.ts';
import { authorize, type ConnectCredentials } from './authorization.ts';
import { ClientConnection, type ConnectionHost, type ConnectionSink } from './client-connection.ts';
import { JetStream } from './jetstream.ts';
import { wholeRange, MessageRouter } from './message-router.ts';
import type { ServerOptions } from './options.ts';
import type { ClientSubscription, Service } from './route.ts';

export interface BrokerClock {
  /** Nanoseconds since the epoch; never falls. */
  now(): Nanos;
  readonly epoch: Epoch;
}

export interface BrokerOptions {
  readonly server: ServerOptions;
  readonly clock: BrokerClock;
  /** Decides which queue member gets a message, server ids, and how ids are hashed. */
  readonly seed: string;
  /** Where log segments come from; plain memory unless given. */
  readonly segmentMemory?: SegmentMemory;
  /** Told when there is work for `turn`. */
  readonly wake: () => void;
}

/** Announced unless told otherwise: the newest release whose features the engine has. */
const announcedVersion: Readonly<Record<string, string>> = { strict: '2.10.27', nats: '2.15.1' };
const behavedVersion: Readonly<Record<string, string>> = { strict: '2.10.27', nats: '2.15.1' };

const ackPrefix = [36, 74, 83, 46, 65, 67, 75, 46]; // $JS.ACK.
const ackPattern = '$JS.ACK.>';

export class Broker implements ConnectionHost {
  readonly options: ServerOptions;
  readonly profile: Profile;
  readonly version: string;
  readonly serverId: string;
  readonly jetstream: JetStream | null;
  readonly log: MessageLog;
  readonly connections = new Map<number, ClientConnection>();
  readonly router: MessageRouter;
  readonly clock: BrokerClock;
  readonly #wake: () => void;
  #dirty: ClientConnection[] = [];
  #flushing: ClientConnection[] = [];
  readonly #prng: Prng;
  readonly #subject: { bytes: Uint8Array; start: number; end: number } = emptyRange();
  readonly #reply = emptyRange();
  readonly #header = emptyRange();
  readonly #payload = emptyRange();
  #lastConnectionId = 0;
  #ackListenerCount = 0;
  totalConnections = 0;
  messagesIn = 0;
  bytesIn = 0;
  slowConsumerCount = 0;
  /** Where clients reach it; told in INFO. */
  port = 0;

  constructor({ server, clock, seed, wake, segmentMemory }: BrokerOptions) {
    this.log = new MemoryLog(undefined, segmentMemory);
    this.options = server;
    this.clock = clock;
    this.#wake = wake;
    this.#prng = new Prng(seed);
    this.serverId = `N${randomName(this.#prng, 55)}`;
    this.version = server.announce ?? announcedVersion[server.profile] ?? '2.10.27';
    this.profile = profileOf(
      server.profile,
      server.announce ?? behavedVersion[server.profile] ?? this.version,
    );
    this.router = new MessageRouter(this.#prng.fork('queues'));
    this.jetstream = server.jetstream.enabled ? this.#openJetStream(clock) : null;
  }

  #openJetStream(clock: BrokerClock): JetStream {
    const { domain, limits, maxFileBytes, maxMemoryBytes, strict } = this.options.jetstream;
    const state = new EngineState({
      log: this.log,
      profile: strict === null ? this.profile : { ...this.profile, strictJson: strict },
      epoch: clock.epoch,
      dedupKind: this.options.dedup,
      hashSeed: this.#prng.fork('hash').uint32(),
      domain,
      limits: {
        maxDuplicateWindowNs: limits.duplicateWindowNs ?? 0,
        maxAckPending: limits.maxAckPending ?? 0,
        maxRequestBatch: limits.maxRequestBatch ?? 0,
        maxMemoryBytes: maxMemoryBytes ?? 0,
        maxFileBytes: maxFileBytes ?? 0,
      },
    });
    const ids = this.#prng.fork('advisories');
    const jetstream = new JetStream({
      log: this.log,
      state,
      router: this.router,
      now: () => clock.now(),
      nextId: () => randomName(ids, 22),
    });
    const api: Service = { kind: 'service', handle: (frame) => jetstream.api.take(frame) };
    for (const pattern of jetstream.api.patterns) this.router.add(pattern, null, api);
    return jetstream;
  }

  // --- turns

  /** Does what came in and what is due, and flushes. True when more is left for another turn. */
  turn(): boolean {
    const isMoreLeft = this.jetstream?.turn() ?? false;
    // A flush may make a connection write again: that is for the next turn.
    const flushing = this.#dirty;
    this.#dirty = this.#flushing;
    for (const connection of flushing) connection.flush();
    flushing.length = 0;
    this.#flushing = flushing;
    return isMoreLeft;
  }

  /** When `turn` must run even if nothing comes in; Infinity when never. */
  get nextTimerNs(): Nanos {
    return this.jetstream?.nextTimerNs ?? Number.POSITIVE_INFINITY;
  }

  // --- connections

  connect(address: string, sink: ConnectionSink): ClientConnection {
    this.#lastConnectionId += 1;
    this.totalConnections += 1;
    const connection = new ClientConnection(this.#lastConnectionId, address, this, sink);
    this.connections.set(connection.id, connection);
    if (this.connections.size > this.options.maxConnections) {
      connection.violation('maximum connections exceeded');
    }
    return connection;
  }

  get maxPayloadBytes(): number {
    return this.options.maxPayloadBytes;
  }

  get maxControlLineBytes(): number {
    return this.options.maxControlLineBytes;
  }

  get maxPendingBytes(): number {
    return this.options.maxPendingBytes;
  }

  get maxSubscriptions(): number | null {
    return this.options.maxSubscriptions;
  }

  get authRequired(): boolean {
    return this.options.authorization !== null && this.options.noAuthUser === null;
  }

  get sendsSecondInfo(): boolean {
    return this.profile.secondInfo;
  }

  authorize(credentials: ConnectCredentials): boolean {
    return authorize(this.options, credentials).allowed;
  }

  infoJson(connection: ClientConnection, isAnswerToPing: boolean): string {
    const { options } = this;
    return JSON.stringify({
      server_id: this.serverId,
      server_name: options.serverName ?? this.serverId,
      version: this.version,
      proto: 1,
      go: 'none',
      host: options.host,
      port: this.port,
      headers: true,
      max_payload: options.maxPayloadBytes,
      ...(this.jetstream === null ? {} : { jetstream: true }),
      ...(this.authRequired ? { auth_required: true } : {}),
      client_id: connection.id,
      client_ip: connection.address,
      ...(options.jetstream.domain === null ? {} : { domain: options.jetstream.domain }),
      ...(isAnswerToPing ? { connect_info: true, remote_account: '$G' } : {}),
    });
  }

  wrote(connection: ClientConnection): void {
    this.#dirty.push(connection);
    this.#wake();
  }

  closed(connection: ClientConnection): void {
    this.connections.delete(connection.id);
    if (connection.isSlow) this.slowConsumerCount += 1;
  }

  subscribe(subscription: ClientSubscription): void {
    this.router.add(subscription.pattern, subscription.queue, subscription);
    if (patternsOverlap(subscription.pattern, ackPattern)) this.#ackListenerCount += 1;
  }

  unsubscribe(subscription: ClientSubscription): void {
    this.router.remove(subscription.pattern, subscription.queue, subscription);
    if (patternsOverlap(subscription.pattern, ackPattern)) this.#ackListenerCount -= 1;
  }

  // --- messages

  beginChunk(chunk: Uint8Array): void {
    this.jetstream?.beginChunk(chunk);
  }

  endChunk(): void {
    this.jetstream?.endChunk();
  }

  publish(connection: ClientConnection, frame: PublishFrame): void {
    this.messagesIn += 1;
    this.bytesIn += frame.payloadEnd - frame.headerStart;
    if (startsAckSubject(frame.bytes, frame.replyStart, frame.replyEnd)) {
      const reply = latin1Text(frame.bytes, frame.replyStart, frame.replyEnd);
      connection.error(`Permissions Violation for Publish with Reply of "${reply}"`);
      return;
    }
    if (startsAckSubject(frame.bytes, frame.subjectStart, frame.subjectEnd)) {
      this.#publishAck(connection, frame);
      return;
    }
    if (connection.pedantic) this.#checkSubject(connection, frame);
    const { bytes, subjectStart, subjectEnd } = frame;
    const route = this.router.route(bytes, subjectStart, subjectEnd);
    let isServed = route.stream !== null;
    if (route.clients.length > 0 || route.groups.length > 0) {
      isServed = this.router.deliver(route, this.#messageOf(frame), connection) > 0 || isServed;
    }
    if (route.stream !== null) {
      this.jetstream?.publish(route.stream, frame);
      this.#wake();
    } else if (route.service !== null) {
      isServed = route.service.handle(frame) || isServed;
      this.#wake();
    }
    if (!isServed) this.#noResponders(connection, frame);
  }

  #checkSubject(connection: ClientConnection, frame: PublishFrame): void {
    const subject = latin1Text(frame.bytes, frame.subjectStart, frame.subjectEnd);
    if (!isValidSubject(subject, false)) connection.error('Invalid Publish Subject');
  }

  #publishAck(connection: ClientConnection, frame: PublishFrame): void {
    const isServed = this.jetstream?.acks.take(frame) ?? false;
    let listenerCount = 0;
    if (this.#ackListenerCount > 0) {
      const route = this.router.route(frame.bytes, frame.subjectStart, frame.subjectEnd);
      listenerCount = this.router.deliver(route, this.#messageOf(frame), connection);
    }
    if (isServed) this.#wake();
    else if (listenerCount === 0) this.#noResponders(connection, frame);
  }

  #messageOf(frame: PublishFrame): {
    subject: ByteRange;
    reply: ByteRange;
    header: ByteRange | null;
    payload: ByteRange;
  } {
    const { bytes, headerStart, payloadStart } = frame;
    setRange(this.#subject, bytes, frame.subjectStart, frame.subjectEnd);
    setRange(this.#reply, bytes, frame.replyStart, frame.replyEnd);
    setRange(this.#header, bytes, headerStart, payloadStart);
    setRange(this.#payload, bytes, payloadStart, frame.payloadEnd);
    const header = payloadStart > headerStart ? this.#header : null;
    return { subject: this.#subject, reply: this.#reply, header, payload: this.#payload };
  }

  // 503, only to the publisher's own plain subscription on the reply (spec 1.4, A2).
  #noResponders(connection: ClientConnection, frame: PublishFrame): void {
    if (!connection.noResponders || frame.replyEnd === frame.replyStart) return;
    const { bytes, replyStart, replyEnd } = frame;
    const route = this.router.route(bytes, replyStart, replyEnd);
    const own = route.clients.find((subscription) => subscription.connection === connection);
    if (own === undefined) return;
    const subject = latin1Text(bytes, frame.subjectStart, frame.subjectEnd);
    const extra = this.profile.namesUnservedSubject ? ([['Nats-Subject', subject]] as const) : [];
    const message = {
      subject: { bytes, start: replyStart, end: replyEnd },
      reply: null,
      header: wholeRange(statusBlock(statusLines.noResponders, extra)),
      payload: null,
    };
    this.router.deliver({ clients: [own], groups: [], stream: null, service: null }, message, null);
  }
}

function startsAckSubject(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < ackPrefix.length || bytes[start] !== ackPrefix[0]) return false;
  for (let index = 1; index < ackPrefix.length; index += 1) {
    if (bytes[start + index] !== ackPrefix[index]) return false;
  }
  return true;
}

function randomName(prng: Prng, length: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  let name = '';
  while (name.length < length) name += letters.charAt(prng.int(0, letters.length - 1));
  return name;
}

function emptyRange(): { bytes: Uint8Array; start: number; end: number } {
  return { bytes: new Uint8Array(0), start: 0, end: 0 };
}

function setRange(
  range: { bytes: Uint8Array; start: number; end: number },
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  range.bytes = bytes;
  range.start = start;
  range.end = end;
}
