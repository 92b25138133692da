import { JetStreamApiError } from '@nats-io/jetstream';
import type { JetStreamClient, JetStreamPublishOptions, PubAck } from '@nats-io/jetstream';
import { headers } from '@nats-io/nats-core';
import type { NatsConnection } from '@nats-io/transport-node';
import { isDefiniteFailure } from '../../engine/base/api-errors.ts';
import { latin1Text } from '../../engine/base/bytes.ts';
import {
  messageIdTemplate,
  payloadTemplate,
  writeBodyId,
  writeMessageIdCounter,
} from '../../workloads/operation-id.ts';
import type { NextAttempt, PublisherDriver } from '../../workloads/publisher-driver.ts';
import { outcomes } from '../../workloads/publisher-ledger.ts';
import type { Outcome } from '../../workloads/publisher-ledger.ts';
import type { PublisherPlan } from '../../workloads/workload.ts';
import { sentence } from '../setup.ts';
import type { MemberContext } from '../trial-client.ts';
import type { LoadMember } from '../trial-load.ts';
import { controlHeader } from '../wire/publish-frames.ts';

const ackTimeoutMs = 5000;

export interface OfficialPublisherParts extends MemberContext {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly driver: PublisherDriver;
  readonly plan: PublisherPlan;
}

/** One publisher through `js.publish`: a promise, and often a header object, for each message, as users have it. */
export class OfficialPublisher implements LoadMember {
  readonly #parts: OfficialPublisherParts;
  readonly #driver: PublisherDriver;
  readonly #payload: Uint8Array;
  readonly #id: Uint8Array;
  #isStopped = false;

  constructor(parts: OfficialPublisherParts) {
    this.#parts = parts;
    this.#driver = parts.driver;
    this.#payload = payloadTemplate(parts.share.seed, parts.plan.payloadBytes);
    this.#id = messageIdTemplate(parts.share.trialKey, parts.plan.idLength, parts.driver.publisher);
  }

  wakeNs(): number {
    return this.#isStopped ? Infinity : this.#driver.wakeNs();
  }

  step(nowNs: number): void {
    let atNs = nowNs;
    while (!this.#isStopped && this.#driver.take(atNs)) {
      this.#publish(this.#driver.next);
      atNs = this.#parts.nowNs();
    }
  }

  isDone(): boolean {
    return this.#driver.isDone || (this.#isStopped && this.#driver.openCount === 0);
  }

  stop(): void {
    this.#isStopped = true;
  }

  close(): void {
    void this.#parts.connection.close();
  }

  #publish(next: Readonly<NextAttempt>): void {
    const { attempt } = next;
    const payload = this.#payload.slice(); // the client keeps it until its next flush
    writeBodyId(payload, 0, this.#driver.publisher, next.counter, next.attemptOfId, next.dueNs);
    writeMessageIdCounter(this.#id, this.#id.length, next.counter);
    this.#parts.client.publish(this.#parts.plan.subject, payload, this.#options()).then(
      (pubAck) => this.#accept(attempt, pubAck),
      (error: unknown) => this.#refuse(attempt, error),
    );
  }

  #options(): Partial<JetStreamPublishOptions> {
    const { idHeader } = this.#parts.plan;
    const options = { timeout: ackTimeoutMs, retries: 0 };
    if (idHeader === 'none') return options;
    const id = latin1Text(this.#id, 0, this.#id.length);
    if (idHeader === 'message-id') return { ...options, msgID: id };
    const block = headers();
    block.set(controlHeader, id);
    return { ...options, headers: block };
  }

  #accept(attempt: number, pubAck: PubAck): void {
    this.#settle(attempt, pubAck.duplicate ? outcomes.duplicate : outcomes.stored, pubAck.seq);
  }

  #refuse(attempt: number, error: unknown): void {
    this.#parts.errors.count(
      error instanceof JetStreamApiError ? `PubAck error ${error.code}` : sentence(error),
    );
    this.#settle(attempt, isDefinite(error) ? outcomes.failed : outcomes.unknown, 0);
  }

  #settle(attempt: number, outcome: Outcome, sequence: number): void {
    this.#driver.settle(attempt, outcome, sequence, this.#parts.nowNs());
    this.#parts.wakeBy(this.wakeNs());
  }
}

// "No responders" is definite too, but the client does not always tell it from other failures to reach JetStream.
function isDefinite(error: unknown): boolean {
  return error instanceof JetStreamApiError && isDefiniteFailure(error.code);
}
