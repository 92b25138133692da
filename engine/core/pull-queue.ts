// Who is waiting for a consumer's messages. Only the leader knows: requests are not replicated, a client repeats
// them (spec 6.5). Pure: statuses are values, sent by the host.

import type { Nanos } from '../base/nanos.ts';
import type { Consumer } from './consumer.ts';
import type { Stream } from './stream.ts';

/** What a pull request asks for; 0 means unset everywhere. */
export interface PullAsk {
  readonly batch: number;
  readonly expiresNs: Nanos;
  readonly noWait: boolean;
  readonly maxBytes: number;
  readonly idleHeartbeatNs: Nanos;
}

/** Names of the status lines of spec 1.4 that a pull request can end with, or hear on the way. */
export type PullStatusKind =
  | 'noMessages'
  | 'requestTimeout'
  | 'requestsPending'
  | 'heartbeatTooLarge'
  | 'maxRequestBatchExceeded'
  | 'maxRequestExpiresExceeded'
  | 'maxRequestMaxBytesExceeded'
  | 'maxWaitingExceeded'
  | 'messageSizeExceedsMaxBytes'
  | 'batchCompleted'
  | 'consumerDeleted'
  | 'idleHeartbeat';

export interface PullStatus {
  readonly kind: PullStatusKind;
  readonly reply: Uint8Array;
  readonly consumer: Consumer;
  readonly pendingMessages: number;
  readonly pendingBytes: number;
}

/** A request in the queue. */
export interface PullRequest {
  readonly reply: Uint8Array;
  readonly ask: PullAsk;
  readonly expiresAtNs: Nanos;
  remaining: number;
  bytesLeft: number;
  deliveredCount: number;
  heartbeatAtNs: Nanos;
}

const never = Number.POSITIVE_INFINITY;

export class PullQueue {
  readonly stream: Stream;
  readonly consumer: Consumer;
  readonly #requests: PullRequest[] = [];
  /** Messages that all requests together still want. */
  wantedCount = 0;
  /** When a client last asked for or got something. */
  activeNs: Nanos;

  constructor(stream: Stream, consumer: Consumer, nowNs: Nanos) {
    this.stream = stream;
    this.consumer = consumer;
    this.activeNs = nowNs;
  }

  get length(): number {
    return this.#requests.length;
  }

  /** Whether every delivery must be weighed against a byte limit. */
  get countsBytes(): boolean {
    return this.#requests.some(({ ask }) => ask.maxBytes > 0);
  }

  /** Takes a request in, or says why not (order of checks: spec 6.5). */
  admit(reply: Uint8Array, ask: PullAsk, nowNs: Nanos): PullStatus | null {
    this.activeNs = nowNs;
    const kind = this.#refusal(ask);
    if (kind !== null) return kind === 'silent' ? null : this.#status(kind, reply, 0, 0);
    this.#requests.push({
      reply,
      ask,
      expiresAtNs: ask.expiresNs > 0 ? nowNs + ask.expiresNs : never,
      remaining: ask.batch,
      bytesLeft: ask.maxBytes,
      deliveredCount: 0,
      heartbeatAtNs: ask.idleHeartbeatNs > 0 ? nowNs + ask.idleHeartbeatNs : never,
    });
    this.wantedCount += ask.batch;
    return null;
  }

  #refusal(ask: PullAsk): PullStatusKind | 'silent' | null {
    const { config } = this.consumer;
    const { idleHeartbeatNs, expiresNs } = ask;
    if (idleHeartbeatNs > 0 && idleHeartbeatNs > expiresNs / 2) return 'heartbeatTooLarge';
    if (exceeds(ask.batch, config.max_batch)) return 'maxRequestBatchExceeded';
    if (exceeds(expiresNs, config.max_expires)) return 'maxRequestExpiresExceeded';
    if (exceeds(ask.maxBytes, config.max_bytes)) return 'maxRequestMaxBytesExceeded';
    const early = ask.noWait ? this.#oneShotRefusal(ask) : null;
    if (early !== null) return early;
    if (this.#requests.length < config.max_waiting) return null;
    return idleHeartbeatNs > 0 ? 'silent' : 'maxWaitingExceeded';
  }

  #oneShotRefusal(ask: PullAsk): PullStatusKind | null {
    const pending = this.consumer.pendingCount + this.consumer.queuedCount;
    if (pending === 0) return ask.expiresNs > 0 ? null : 'noMessages';
    return pending < this.wantedCount ? 'requestsPending' : null;
  }

  /** The request that gets the next message. Round robin: `served` moves it to the end. */
  head(): PullRequest | null {
    return this.#requests[0] ?? null;
  }

  /** The head got a message of that size; when that ends it, the status that says so, if any. */
  served(byteCount: number, nowNs: Nanos): PullStatus | null {
    const request = this.#requests[0];
    if (request === undefined) return null;
    request.remaining -= 1;
    request.deliveredCount += 1;
    this.wantedCount -= 1;
    this.activeNs = nowNs;
    if (request.heartbeatAtNs !== never) request.heartbeatAtNs = nowNs + request.ask.idleHeartbeatNs;
    const countsBytes = request.ask.maxBytes > 0;
    if (countsBytes) request.bytesLeft -= byteCount;
    const isDone = request.remaining === 0 || (countsBytes && request.bytesLeft <= 0);
    if (!isDone && this.#requests.length === 1) return null;
    this.#requests.shift();
    if (!isDone) {
      this.#requests.push(request);
      return null;
    }
    this.wantedCount -= request.remaining;
    const saysDone = countsBytes && request.bytesLeft > 0;
    return saysDone ? this.#status('batchCompleted', request.reply, 0, request.bytesLeft) : null;
  }

  /** The head cannot take a message of that size; it ends (spec 1.4, 409 Message Size Exceeds MaxBytes). */
  rejectHead(): PullStatus | null {
    const request = this.#requests.shift();
    if (request === undefined) return null;
    this.wantedCount -= request.remaining;
    return this.#status('messageSizeExceedsMaxBytes', request.reply, request.remaining, request.bytesLeft);
  }

  /** Nothing more to deliver right now: one-shot requests that are satisfied by that end. */
  finishOneShots(): PullStatus[] {
    if (this.consumer.pendingCount + this.consumer.queuedCount > 0) return []; // held back, not finished (C55)
    return this.#endWhere(
      ({ ask, deliveredCount }) => ask.noWait && (deliveredCount > 0 || ask.expiresNs === 0),
      'noMessages',
    );
  }

  /** What time has brought: expired requests end, quiet ones hear a heartbeat. */
  runTimers(nowNs: Nanos): PullStatus[] {
    const statuses = this.#endWhere(({ expiresAtNs }) => expiresAtNs <= nowNs, 'requestTimeout');
    for (const request of this.#requests) {
      if (request.heartbeatAtNs > nowNs) continue;
      request.heartbeatAtNs = nowNs + request.ask.idleHeartbeatNs;
      statuses.push(this.#status('idleHeartbeat', request.reply, 0, 0));
    }
    return statuses;
  }

  nextTimerNs(): Nanos {
    let dueNs = never;
    for (const { expiresAtNs, heartbeatAtNs } of this.#requests) {
      dueNs = Math.min(dueNs, expiresAtNs, heartbeatAtNs);
    }
    return dueNs;
  }

  /** Silently drops requests whose reply subject nobody listens to any more. */
  dropDead(hasInterest: (reply: Uint8Array) => boolean): void {
    for (let index = this.#requests.length - 1; index >= 0; index -= 1) {
      const request = this.#requests[index];
      if (request === undefined || hasInterest(request.reply)) continue;
      this.wantedCount -= request.remaining;
      this.#requests.splice(index, 1);
    }
  }

  /** The consumer is gone: every request hears it. */
  endAll(): PullStatus[] {
    return this.#endWhere(() => true, 'consumerDeleted');
  }

  #endWhere(ends: (request: PullRequest) => boolean, kind: PullStatusKind): PullStatus[] {
    const statuses: PullStatus[] = [];
    for (let index = 0; index < this.#requests.length;) {
      const request = this.#requests[index] as PullRequest;
      if (!ends(request)) {
        index += 1;
        continue;
      }
      this.#requests.splice(index, 1);
      this.wantedCount -= request.remaining;
      statuses.push(this.#status(kind, request.reply, request.remaining, request.bytesLeft));
    }
    return statuses;
  }

  #status(
    kind: PullStatusKind,
    reply: Uint8Array,
    pendingMessages: number,
    pendingBytes: number,
  ): PullStatus {
    return { kind, reply, consumer: this.consumer, pendingMessages, pendingBytes };
  }
}

function exceeds(asked: number, limit: number | undefined): boolean {
  return limit !== undefined && limit > 0 && asked > limit;
}
