// The pure core on its own: EngineState and Leader as engine/host/jetstream.ts drives them, without bytes of the
// protocol, sockets or a clock.

import { latin1Bytes, latin1Text } from '../../engine/base/bytes.ts';
import { scanPublishHeaders } from '../../engine/base/header-scan.ts';
import { utf8Bytes } from '../../engine/base/text.ts';
import { acknowledgeAt, acknowledgeKind } from '../../engine/core/batch.ts';
import type { Consumer } from '../../engine/core/consumer.ts';
import type { DedupKind } from '../../engine/core/dedup-window.ts';
import type { Advisory, CoreLimits } from '../../engine/core/engine-context.ts';
import { EngineState } from '../../engine/core/engine-state.ts';
import { Leader } from '../../engine/core/leader.ts';
import { MemoryLog } from '../../engine/core/message-log.ts';
import { Outcomes } from '../../engine/core/outcomes.ts';
import { profileOf, type ProfileName } from '../../engine/core/profile.ts';
import type { PullAsk, PullStatus } from '../../engine/core/pull-queue.ts';
import type { Stream } from '../../engine/core/stream.ts';

export interface CoreSetup {
  readonly profile?: ProfileName;
  readonly dedup?: DedupKind;
  readonly segmentBytes?: number;
  readonly limits?: Partial<CoreLimits>;
}

export interface CoreDelivery {
  readonly consumer: string;
  readonly request: string;
  readonly sequence: number;
  readonly consumerSequence: number;
  readonly deliveryCount: number;
  readonly pendingCount: number;
  readonly atNs: number;
}

export interface CoreOutcome {
  readonly code: number;
  readonly sequence: number;
  readonly detail: string;
}

/** A configuration as the API takes it. */
export type NamedRequest = Readonly<Record<string, unknown>> & { readonly name: string };
export type DurableRequest = Readonly<Record<string, unknown>> & { readonly durable_name: string };

const noLimits: CoreLimits = {
  maxDuplicateWindowNs: 0,
  maxAckPending: 0,
  maxRequestBatch: 0,
  maxMemoryBytes: 0,
  maxFileBytes: 0,
};
const plainAsk: PullAsk = { batch: 1, expiresNs: 0, noWait: false, maxBytes: 0, idleHeartbeatNs: 0 };

export class CoreEngine {
  readonly log: MemoryLog;
  readonly state: EngineState;
  readonly leader: Leader;
  readonly deliveries: CoreDelivery[] = [];
  readonly statuses: PullStatus[] = [];
  readonly advisories: Advisory[] = [];
  /** Replies that nobody listens to any more. */
  readonly dead = new Set<string>();
  nowNs = 0;
  readonly #outcomes = new Outcomes();
  readonly #scan = { idStart: 0, idEnd: 0, hasControl: false };

  constructor({
    profile = 'strict',
    dedup = 'compact',
    segmentBytes = 256 * 1024,
    limits = {},
  }: CoreSetup = {}) {
    this.log = new MemoryLog(segmentBytes);
    this.state = new EngineState({
      log: this.log,
      profile: profileOf(profile, profile === 'strict' ? '2.10.27' : '2.15.1'),
      limits: { ...noLimits, ...limits },
      epoch: { unixSeconds: 1_800_000_000, nanos: 0 },
      dedupKind: dedup,
      hashSeed: 7,
      domain: null,
    });
    this.leader = new Leader(
      this.log,
      this.state,
      (reply) => !this.dead.has(latin1Text(reply, 0, reply.length)),
      (_stream, consumer, reply) => {
        const request = latin1Text(reply, 0, reply.length);
        this.deliveries.push({
          consumer: consumer.config.name,
          request,
          ...consumer.delivery,
          atNs: this.nowNs,
        });
      },
    );
  }

  // --- records of the open batch

  /** Adds a publish to the open batch; `headers` without the status line and the empty line. */
  add(stream: Stream, subject: string, payload: string, headers: readonly string[] = []): void {
    const block =
      headers.length === 0 ? '' : `NATS/1.0\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;
    const bytes = latin1Bytes(subject + block + payload);
    const headerStart = subject.length;
    const payloadStart = headerStart + block.length;
    const parts = {
      bytes,
      subjectStart: 0,
      subjectEnd: headerStart,
      headerStart,
      payloadStart,
      payloadEnd: bytes.length,
    };
    const scan = this.#scan;
    scanPublishHeaders(bytes, headerStart, payloadStart, scan);
    const { builder } = this.leader;
    if (!builder.hasRoom(builder.publishBytes(parts))) this.commit();
    builder.publish(parts, stream.id, scan.idStart, scan.idEnd, scan.hasControl);
  }

  /** Adds a consumer's answer to the open batch. */
  addAcknowledge(
    stream: Stream,
    consumer: Consumer,
    sequence: number,
    kind: keyof typeof acknowledgeKind,
    delayNs = 0,
  ): void {
    const { builder } = this.leader;
    if (!builder.hasRoom(acknowledgeAt.reason)) this.commit();
    builder.acknowledge(
      stream.id,
      consumer.id,
      sequence,
      acknowledgeKind[kind],
      delayNs,
      new Uint8Array(0),
      0,
      0,
    );
  }

  /** Commits the open batch; what became of each record. */
  commit(): CoreOutcome[] {
    const outcomes = this.#outcomes;
    const batch = this.leader.seal(this.nowNs);
    this.state.apply(batch, outcomes, this.leader);
    this.leader.follow(batch.timeNs);
    this.advisories.push(...this.state.advisories);
    return Array.from({ length: batch.recordCount }, (_, row) => ({
      code: outcomes.code[row] ?? 0,
      sequence: outcomes.sequence[row] ?? 0,
      detail: outcomes.detail.get(row) ?? '',
    }));
  }

  // --- one thing at a time

  publish(stream: Stream, subject: string, payload: string, headers: readonly string[] = []): CoreOutcome {
    this.add(stream, subject, payload, headers);
    const [outcome] = this.commit();
    this.settle();
    if (outcome === undefined) throw new Error('a batch of one record has one outcome');
    return outcome;
  }

  api(call: string, body: object | null = null): Record<string, unknown> {
    this.leader.builder.api(
      latin1Bytes(call),
      body === null ? new Uint8Array(0) : utf8Bytes(JSON.stringify(body)),
    );
    this.commit();
    const response = this.#outcomes.response.get(0);
    this.settle();
    return response as Record<string, unknown>;
  }

  createStream(config: NamedRequest): Stream {
    const answer = this.api(`STREAM.CREATE.${config.name}`, config);
    const stream = this.state.streams.get(config.name);
    if (stream === undefined) throw new Error(JSON.stringify(answer));
    return stream;
  }

  createConsumer(stream: Stream, config: DurableRequest): Consumer {
    const { name } = stream.config;
    const answer = this.api(`CONSUMER.CREATE.${name}.${config.durable_name}`, { stream_name: name, config });
    const consumer = stream.consumers.get(config.durable_name);
    if (consumer === undefined) throw new Error(JSON.stringify(answer));
    return consumer;
  }

  pull(stream: Stream, consumer: Consumer, request: string, ask: Partial<PullAsk>): void {
    this.leader.pull(stream, consumer, latin1Bytes(request), { ...plainAsk, ...ask }, this.nowNs);
    this.settle();
  }

  acknowledge(
    stream: Stream,
    consumer: Consumer,
    sequence: number,
    kind: keyof typeof acknowledgeKind,
    delayNs = 0,
  ): CoreOutcome {
    this.addAcknowledge(stream, consumer, sequence, kind, delayNs);
    const [outcome] = this.commit();
    this.settle();
    if (outcome === undefined) throw new Error('a batch of one record has one outcome');
    return outcome;
  }

  // --- turns

  settle(): void {
    this.leader.runTimers(this.nowNs);
    if (this.leader.builder.recordCount > 0 || this.nowNs >= this.state.nextTimerNs) this.commit();
    for (let rounds = 0; this.leader.dispatch(); rounds += 1) {
      if (rounds > 10_000) throw new Error('dispatching never ends');
      this.commit();
    }
    this.statuses.push(...this.leader.takeStatuses());
  }

  /** Lets time pass; what falls due happens at its moment. */
  advance(untilNs: number): void {
    const next = (): number => Math.min(this.state.nextTimerNs, this.leader.nextTimerNs);
    for (let dueNs = next(); dueNs <= untilNs; dueNs = next()) {
      this.nowNs = Math.max(this.nowNs, dueNs);
      this.settle();
    }
    this.nowNs = untilNs;
    this.settle();
  }
}

/** Payloads of what a stream holds, by sequence. */
export function storedPayloads(engine: CoreEngine, stream: Stream): Map<number, string> {
  const payloads = new Map<number, string>();
  for (let at = stream.nextStored(1); at !== 0; at = stream.nextStored(at + 1)) {
    const answer = engine.api(`STREAM.MSG.GET.${stream.config.name}`, { seq: at })['message'] as {
      data?: string;
    };
    payloads.set(at, Buffer.from(answer.data ?? '', 'base64').toString('latin1'));
  }
  return payloads;
}
