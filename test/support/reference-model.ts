// One stream and its pull consumers, as spec sections 3 to 6 tell it, in plain arrays and Maps. It is slow on purpose: no
// index, no timer, no batch. Every question is answered by looking at everything. It knows nothing of the engine.

import {
  matches,
  ReferenceConsumer,
  type ModelConsumerConfig,
  type ModelDelivery,
  type ModelMessage,
} from './reference-consumer.ts';

export interface ModelStream {
  readonly name: string;
  readonly retention: 'limits' | 'interest' | 'workqueue';
  readonly discard: 'old' | 'new';
  readonly discardNewPerSubject: boolean;
  /** 0 in a limit is none. */
  readonly maxMessages: number;
  readonly maxBytes: number;
  readonly maxPerSubject: number;
  readonly maxMessageBytes: number;
  readonly maxAgeNs: number;
  readonly windowNs: number;
  readonly allowsRollup: boolean;
  /** Where a known id is answered: before the expected-… headers (strict), or behind them (2.12 and later). */
  readonly duplicateBeforeExpectations: boolean;
}

export interface ModelPublish {
  readonly subject: string;
  /** Bytes of header block and payload together. */
  readonly contentBytes: number;
  readonly tag: string;
  readonly id?: string;
  readonly expectedStream?: string;
  readonly expectedLast?: number;
  readonly expectedLastOnSubject?: number;
  readonly expectedLastId?: string;
  readonly rollup?: 'sub' | 'all';
}

export type ModelAnswer =
  | { readonly kind: 'stored' | 'duplicate'; readonly sequence: number }
  | { readonly kind: 'refused'; readonly code: number };

export class ReferenceModel {
  config: ModelStream;
  nowNs = 0;
  messages: ModelMessage[] = [];
  lastSequence = 0;
  firstSequence = 0;
  lastId = '';
  ids: { readonly id: string; readonly sequence: number; readonly atNs: number }[] = [];
  readonly consumers = new Map<string, ReferenceConsumer>();
  deliveries: ModelDelivery[] = [];
  advisories: string[] = [];

  constructor(config: ModelStream) {
    this.config = config;
  }

  // --- time

  /** Lets time pass, one due moment after the other: ages first, then ack waits (spec 3, 6.7). */
  advance(untilNs: number): void {
    for (let dueNs = this.#nextDueNs(); dueNs <= untilNs; dueNs = this.#nextDueNs()) {
      this.nowNs = dueNs;
      this.#expire();
      this.#serve();
    }
    this.nowNs = untilNs;
    this.ids = this.ids.filter(({ atNs }) => this.nowNs - atNs < this.config.windowNs);
  }

  #nextDueNs(): number {
    const ages =
      this.config.maxAgeNs === 0 ? [] : this.messages.map(({ storedNs }) => storedNs + this.config.maxAgeNs);
    const waits = [...this.consumers.values()].flatMap(({ pending }) =>
      [...pending.values()].map(({ dueNs }) => dueNs ?? Infinity),
    );
    return Math.min(Infinity, ...ages, ...waits);
  }

  #expire(): void {
    const { maxAgeNs } = this.config;
    const old = this.messages.filter(({ storedNs }) => maxAgeNs > 0 && this.nowNs - storedNs >= maxAgeNs);
    for (const { sequence } of old) this.remove(sequence);
    for (const consumer of this.consumers.values()) consumer.expire();
  }

  // --- publishing (spec 4.3)

  publish(message: ModelPublish): ModelAnswer {
    const answer = this.#decide(message);
    this.#serve();
    return answer;
  }

  #decide(message: ModelPublish): ModelAnswer {
    if (message.expectedStream !== undefined && message.expectedStream !== this.config.name) {
      return refused(10060);
    }
    const original = this.ids.find(
      ({ id, atNs }) => id === message.id && this.nowNs - atNs < this.config.windowNs,
    );
    const known: ModelAnswer | null =
      original === undefined ? null : { kind: 'duplicate', sequence: original.sequence };
    if (this.config.duplicateBeforeExpectations && known !== null) return known;
    if (message.expectedLastOnSubject !== undefined) {
      const last = this.messages.findLast(({ subject }) => subject === message.subject)?.sequence ?? 0;
      if (message.expectedLastOnSubject !== last) return refused(10071);
    }
    if (message.expectedLast !== undefined && message.expectedLast !== this.lastSequence) {
      return refused(10071);
    }
    if (known !== null) return known;
    if (message.expectedLastId !== undefined && message.expectedLastId !== this.lastId) return refused(10070);
    if (message.rollup !== undefined && !this.config.allowsRollup) return refused(10111);
    const { maxMessageBytes, retention } = this.config;
    if (maxMessageBytes > 0 && message.contentBytes > maxMessageBytes) return refused(10054);
    const isWanted =
      retention !== 'interest' ||
      [...this.consumers.values()].some((consumer) => consumer.wants(message.subject));
    if (isWanted && this.config.discard === 'new' && message.rollup === undefined && this.#isFull(message)) {
      return refused(10077);
    }
    this.lastSequence += 1;
    const sequence = this.lastSequence;
    if (message.id !== undefined) this.ids.push({ id: message.id, sequence, atNs: this.nowNs });
    if (isWanted) this.#store(message, sequence);
    else if (this.messages.length === 0) this.firstSequence = sequence + 1;
    return { kind: 'stored', sequence };
  }

  #isFull(message: ModelPublish): boolean {
    const { maxMessages, maxBytes, maxPerSubject, discardNewPerSubject } = this.config;
    const onSubject = this.messages.filter(({ subject }) => subject === message.subject).length;
    if (maxPerSubject > 0 && onSubject >= maxPerSubject) return discardNewPerSubject;
    if (maxMessages > 0 && this.messages.length >= maxMessages) return true;
    return maxBytes > 0 && this.bytes + bytesOf(message) > maxBytes;
  }

  #store(message: ModelPublish, sequence: number): void {
    const { subject, tag } = message;
    if (this.messages.length === 0) this.firstSequence = sequence;
    this.messages.push({ sequence, subject, bytes: bytesOf(message), tag, storedNs: this.nowNs });
    this.lastId = message.id ?? '';
    this.#enforceLimits(subject);
    if (message.rollup === 'all') this.#purgeBelow(sequence);
    if (message.rollup !== 'sub' || !this.has(sequence)) return;
    for (const other of this.messages) {
      if (other.subject === subject && other.sequence < sequence) this.remove(other.sequence);
    }
  }

  #enforceLimits(subject: string): void {
    const { maxMessages, maxBytes, maxPerSubject } = this.config;
    const onSubject = this.messages.filter((message) => message.subject === subject);
    const spareCount = maxPerSubject === 0 ? 0 : Math.max(0, onSubject.length - maxPerSubject);
    for (const { sequence } of onSubject.slice(0, spareCount)) this.remove(sequence);
    const isOver = (): boolean =>
      (maxMessages > 0 && this.messages.length > maxMessages) || (maxBytes > 0 && this.bytes > maxBytes);
    while (isOver()) this.remove(this.messages[0]?.sequence ?? 0);
  }

  get bytes(): number {
    return this.messages.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  has(sequence: number): boolean {
    return this.messages.some((message) => message.sequence === sequence);
  }

  // --- removing

  /** Takes a message out, for whatever reason: nobody waits for it any more. False when it is not there. */
  remove(sequence: number): boolean {
    if (!this.has(sequence)) return false;
    this.messages = this.messages.filter((message) => message.sequence !== sequence);
    for (const consumer of this.consumers.values()) {
      consumer.exhausted.delete(sequence);
      consumer.settle(sequence);
    }
    this.firstSequence = this.messages[0]?.sequence ?? this.lastSequence + 1;
    return true;
  }

  /** Spec 2.3: everything, what is below a sequence, or one subject's; the newest `keep` of it stay. */
  purge(request: { readonly below?: number; readonly subject?: string; readonly keep?: number }): number {
    const below = request.below ?? this.lastSequence + 1;
    const before = this.messages.length;
    if (request.subject === undefined && request.keep === undefined) this.#purgeBelow(below);
    else {
      const doomed = this.messages.filter(
        ({ sequence, subject }) => sequence < below && matches(request.subject ?? '', subject),
      );
      for (const { sequence } of doomed.slice(0, Math.max(0, doomed.length - (request.keep ?? 0)))) {
        this.remove(sequence);
      }
    }
    this.#serve();
    return before - this.messages.length;
  }

  #purgeBelow(below: number): void {
    for (const { sequence } of this.messages) if (sequence < below) this.remove(sequence);
    for (const consumer of this.consumers.values()) consumer.skipTo(this.firstSequence);
  }

  deleteMessage(sequence: number): boolean {
    const wasThere = this.remove(sequence);
    this.#serve();
    return wasThere;
  }

  setWindow(windowNs: number): void {
    this.config = { ...this.config, windowNs };
    this.ids = this.ids.filter(({ atNs }) => this.nowNs - atNs < windowNs);
  }

  // --- consumers, each in reference-consumer.ts (spec 6)

  addConsumer(name: string, config: ModelConsumerConfig): void {
    this.consumers.set(name, new ReferenceConsumer(this, name, config, Math.max(1, this.firstSequence)));
  }

  deleteConsumer(name: string): void {
    this.consumers.delete(name);
    for (const { sequence } of this.messages) this.releaseInterest(sequence);
  }

  pull(name: string, request: string, batch: number): void {
    this.consumer(name).waiting.push({ request, remaining: batch });
    this.#serve();
  }

  consumer(name: string): ReferenceConsumer {
    const consumer = this.consumers.get(name);
    if (consumer === undefined) throw new Error(`the model has no consumer ${name}`);
    return consumer;
  }

  #serve(): void {
    for (const consumer of this.consumers.values()) consumer.serve();
  }

  acknowledge(name: string, sequence: number, kind: 'ack' | 'nak' | 'progress' | 'term', delayNs = 0): void {
    const consumer = this.consumer(name);
    if (!consumer.takesAnswerTo(sequence)) return;
    consumer.acknowledge(sequence, kind, delayNs);
    this.#serve();
  }

  release(sequence: number): void {
    if (this.config.retention === 'workqueue') this.remove(sequence);
    else this.releaseInterest(sequence);
  }

  releaseInterest(sequence: number): void {
    const message = this.messages.find((candidate) => candidate.sequence === sequence);
    if (this.config.retention !== 'interest' || message === undefined) return;
    const isNeeded = [...this.consumers.values()].some((consumer) => consumer.needs(message));
    if (!isNeeded) this.remove(sequence);
  }
}

function refused(code: number): ModelAnswer {
  return { kind: 'refused', code };
}

/** Spec 3, memory storage: subject, headers and payload, and sixteen bytes more. */
function bytesOf({ subject, contentBytes }: ModelPublish): number {
  return subject.length + contentBytes + 16;
}
