// One stream and its pull consumers, as spec sections 3 to 6 tell it, in plain arrays and Maps. It is slow on purpose: no
// index, no timer, no batch. Every question is answered by looking at everything. It knows nothing of the engine.

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

export interface ModelConsumerConfig {
  readonly ackPolicy: 'explicit' | 'all' | 'none';
  /** One wait for each delivery, the last for all behind it. */
  readonly waitsNs: readonly number[];
  /** 0 is no limit. */
  readonly maxDeliver: number;
  readonly maxAckPending: number;
  /** A subject without wildcards, or '' for all. */
  readonly filter: string;
}

export interface ModelDelivery {
  readonly consumer: string;
  readonly request: string;
  readonly sequence: number;
  readonly consumerSequence: number;
  readonly deliveryCount: number;
  readonly pendingCount: number;
  readonly atNs: number;
}

export interface ModelMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly bytes: number;
  readonly tag: string;
  readonly storedNs: number;
}

interface Pending {
  readonly firstConsumerSequence: number;
  deliveries: number;
  /** When it falls due; null while it is in the redelivery queue. */
  dueNs: number | null;
}

export interface ModelConsumer {
  readonly name: string;
  readonly config: ModelConsumerConfig;
  next: number;
  delivered: { consumer: number; stream: number };
  floor: { consumer: number; stream: number };
  readonly pending: Map<number, Pending>;
  queue: number[];
  /** Out of deliveries and not acknowledged since. */
  readonly exhausted: Set<number>;
  waiting: { readonly request: string; remaining: number }[];
}

export class ReferenceModel {
  config: ModelStream;
  nowNs = 0;
  messages: ModelMessage[] = [];
  lastSequence = 0;
  firstSequence = 0;
  lastId = '';
  ids: { readonly id: string; readonly sequence: number; readonly atNs: number }[] = [];
  readonly consumers = new Map<string, ModelConsumer>();
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
    for (const consumer of this.consumers.values()) {
      const due = [...consumer.pending].filter(([, { dueNs }]) => dueNs !== null && dueNs <= this.nowNs);
      due.sort(([left], [right]) => left - right);
      for (const [sequence, pending] of due) this.#fallDue(consumer, sequence, pending);
    }
  }

  #fallDue(consumer: ModelConsumer, sequence: number, pending: Pending): void {
    const { maxDeliver } = consumer.config;
    pending.dueNs = null;
    if (maxDeliver === 0 || pending.deliveries < maxDeliver) {
      consumer.queue.push(sequence);
      return;
    }
    consumer.pending.delete(sequence);
    consumer.exhausted.add(sequence);
    this.advisories.push(`exhausted ${consumer.name} s${sequence} d${pending.deliveries}`);
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
      [...this.consumers.values()].some(({ config }) => matches(config.filter, message.subject));
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
      this.#settle(consumer, sequence);
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
    for (const consumer of this.consumers.values()) {
      consumer.next = Math.max(consumer.next, this.firstSequence);
      consumer.floor.stream = Math.max(consumer.floor.stream, this.firstSequence - 1);
      consumer.delivered.stream = Math.max(consumer.delivered.stream, consumer.floor.stream);
    }
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

  // --- consumers (spec 6)

  addConsumer(name: string, config: ModelConsumerConfig): void {
    const start = Math.max(1, this.firstSequence);
    const place = { consumer: 0, stream: start - 1 };
    const [pending, queue, exhausted, waiting] = [new Map<number, Pending>(), [], new Set<number>(), []];
    this.consumers.set(name, {
      name,
      config,
      next: start,
      delivered: { ...place },
      floor: { ...place },
      pending,
      queue,
      exhausted,
      waiting,
    });
  }

  deleteConsumer(name: string): void {
    this.consumers.delete(name);
    for (const { sequence } of this.messages) this.#releaseInterest(sequence);
  }

  pendingCount({ next, config }: ModelConsumer): number {
    return this.messages.filter(
      ({ sequence, subject }) => sequence >= next && matches(config.filter, subject),
    ).length;
  }

  pull(name: string, request: string, batch: number): void {
    this.consumer(name).waiting.push({ request, remaining: batch });
    this.#serve();
  }

  consumer(name: string): ModelConsumer {
    const consumer = this.consumers.get(name);
    if (consumer === undefined) throw new Error(`the model has no consumer ${name}`);
    return consumer;
  }

  // Requests are served in turn, one message each, as long as there is anything (spec 6.4, 6.5).
  #serve(): void {
    for (const consumer of this.consumers.values()) {
      for (let request = consumer.waiting[0]; request !== undefined; request = consumer.waiting[0]) {
        if (!this.#deliver(consumer, request.request)) break;
        consumer.waiting.shift();
        request.remaining -= 1;
        if (request.remaining > 0) consumer.waiting.push(request);
      }
    }
  }

  #deliver(consumer: ModelConsumer, request: string): boolean {
    const { config, pending, delivered } = consumer;
    const again = consumer.queue.shift();
    if (
      again === undefined &&
      config.ackPolicy !== 'none' &&
      config.maxAckPending > 0 &&
      pending.size >= config.maxAckPending
    ) {
      return false;
    }
    const sequence =
      again ??
      this.messages.find(
        (message) => message.sequence >= consumer.next && matches(config.filter, message.subject),
      )?.sequence;
    if (sequence === undefined) return false;
    if (again === undefined) consumer.next = sequence + 1;
    delivered.consumer += 1;
    delivered.stream = Math.max(delivered.stream, sequence);
    const deliveryCount = (pending.get(sequence)?.deliveries ?? 0) + 1;
    const pendingCount = this.pendingCount(consumer);
    this.deliveries.push({
      consumer: consumer.name,
      request,
      sequence,
      consumerSequence: delivered.consumer,
      deliveryCount,
      pendingCount,
      atNs: this.nowNs,
    });
    if (config.ackPolicy === 'none') {
      consumer.floor = { ...delivered };
      this.#releaseInterest(sequence);
      return true;
    }
    const firstConsumerSequence = pending.get(sequence)?.firstConsumerSequence ?? delivered.consumer;
    pending.set(sequence, {
      firstConsumerSequence,
      deliveries: deliveryCount,
      dueNs: this.nowNs + waitOf(config, deliveryCount),
    });
    return true;
  }

  // --- answers to deliveries (spec 6.6)

  acknowledge(name: string, sequence: number, kind: 'ack' | 'nak' | 'progress' | 'term', delayNs = 0): void {
    const consumer = this.consumer(name);
    if (consumer.config.ackPolicy === 'none' || sequence >= consumer.next) return; // never delivered (A32)
    const pending = consumer.pending.get(sequence);
    if (kind === 'nak' && pending !== undefined) this.#negative(consumer, sequence, pending, delayNs);
    if (kind === 'progress' && pending !== undefined && pending.dueNs !== null) {
      pending.dueNs = this.nowNs + waitOf(consumer.config, pending.deliveries);
    }
    if (kind === 'term' && pending !== undefined) {
      this.advisories.push(`terminated ${name} s${sequence} d${pending.deliveries}`);
    }
    if (kind === 'ack' && consumer.config.ackPolicy === 'all') this.#acknowledgeUpTo(consumer, sequence);
    else if (kind === 'ack' || kind === 'term') {
      const wasOpen = this.#settle(consumer, sequence) || consumer.exhausted.delete(sequence);
      if (wasOpen) this.#release(sequence);
    }
    this.#serve();
  }

  #negative(consumer: ModelConsumer, sequence: number, pending: Pending, delayNs: number): void {
    this.advisories.push(`naked ${consumer.name} s${sequence} d${pending.deliveries}`);
    if (pending.dueNs === null) return; // it is in the queue already
    if (delayNs > 0) pending.dueNs = this.nowNs + delayNs;
    else this.#fallDue(consumer, sequence, pending);
  }

  #acknowledgeUpTo(consumer: ModelConsumer, sequence: number): void {
    const covered = [...consumer.pending]
      .filter(([other]) => other <= sequence)
      .sort(([left], [right]) => left - right);
    for (const [settled, { firstConsumerSequence }] of covered) {
      consumer.pending.delete(settled);
      consumer.queue = consumer.queue.filter((queued) => queued !== settled);
      consumer.floor = { consumer: firstConsumerSequence, stream: settled };
      this.#release(settled);
    }
    const isCaughtUp = consumer.pending.size === 0 && consumer.floor.stream === consumer.delivered.stream;
    if (isCaughtUp) consumer.floor.consumer = consumer.delivered.consumer;
  }

  // The floor closes up behind what is done (spec 6.3).
  #settle(consumer: ModelConsumer, sequence: number): boolean {
    const settled = consumer.pending.get(sequence);
    if (settled === undefined) return false;
    consumer.pending.delete(sequence);
    consumer.queue = consumer.queue.filter((queued) => queued !== sequence);
    const [oldest, ...others] = [...consumer.pending.keys()];
    if (oldest === undefined) consumer.floor = { ...consumer.delivered };
    else if (settled.firstConsumerSequence === consumer.floor.consumer + 1) {
      const lowest = Math.min(oldest, ...others);
      consumer.floor = {
        consumer: (consumer.pending.get(lowest)?.firstConsumerSequence ?? 0) - 1,
        stream: lowest - 1,
      };
    }
    return true;
  }

  #release(sequence: number): void {
    if (this.config.retention === 'workqueue') this.remove(sequence);
    else this.#releaseInterest(sequence);
  }

  #releaseInterest(sequence: number): void {
    const message = this.messages.find((candidate) => candidate.sequence === sequence);
    if (this.config.retention !== 'interest' || message === undefined) return;
    const needs = ({ config, next, pending, exhausted }: ModelConsumer): boolean =>
      matches(config.filter, message.subject) &&
      (sequence >= next || pending.has(sequence) || exhausted.has(sequence));
    if (![...this.consumers.values()].some(needs)) this.remove(sequence);
  }
}

function refused(code: number): ModelAnswer {
  return { kind: 'refused', code };
}

function matches(filter: string, subject: string): boolean {
  return filter === '' || filter === subject;
}

/** Spec 3, memory storage: subject, headers and payload, and sixteen bytes more. */
function bytesOf({ subject, contentBytes }: ModelPublish): number {
  return subject.length + contentBytes + 16;
}

function waitOf({ waitsNs }: ModelConsumerConfig, deliveries: number): number {
  return waitsNs[Math.min(deliveries, waitsNs.length) - 1] ?? Infinity;
}
