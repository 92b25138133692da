// One pull consumer of the reference model, as spec section 6 tells it: what it is given, what it holds open, and what its
// answers do. Slow on purpose, as the stream in reference-model.ts is.

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

/** What a consumer sees of its stream, and asks of it. */
interface ConsumedStream {
  readonly nowNs: number;
  readonly messages: readonly ModelMessage[];
  readonly deliveries: ModelDelivery[];
  readonly advisories: string[];
  /** A consumer is done with a message. */
  release(sequence: number): void;
  /** The same, where only interest keeps messages. */
  releaseInterest(sequence: number): void;
}

export class ReferenceConsumer {
  readonly name: string;
  readonly config: ModelConsumerConfig;
  readonly #stream: ConsumedStream;
  next: number;
  delivered: { consumer: number; stream: number };
  floor: { consumer: number; stream: number };
  readonly pending = new Map<number, Pending>();
  queue: number[] = [];
  /** Out of deliveries and not acknowledged since. */
  readonly exhausted = new Set<number>();
  readonly waiting: { readonly request: string; remaining: number }[] = [];

  constructor(stream: ConsumedStream, name: string, config: ModelConsumerConfig, start: number) {
    this.#stream = stream;
    this.name = name;
    this.config = config;
    this.next = start;
    this.delivered = { consumer: 0, stream: start - 1 };
    this.floor = { ...this.delivered };
  }

  wants(subject: string): boolean {
    return matches(this.config.filter, subject);
  }

  /** Whether it still has to see the message, or an answer to it. */
  needs({ sequence, subject }: ModelMessage): boolean {
    return (
      this.wants(subject) &&
      (sequence >= this.next || this.pending.has(sequence) || this.exhausted.has(sequence))
    );
  }

  /** Whether an answer to the sequence means anything: a sequence never delivered has none (A32). */
  takesAnswerTo(sequence: number): boolean {
    return this.config.ackPolicy !== 'none' && sequence < this.next;
  }

  /** Messages that it has not been given yet. */
  get pendingCount(): number {
    return this.#stream.messages.filter(
      ({ sequence, subject }) => sequence >= this.next && this.wants(subject),
    ).length;
  }

  /** Nothing below the sequence is there any more, nor will be given. */
  skipTo(firstSequence: number): void {
    this.next = Math.max(this.next, firstSequence);
    this.floor.stream = Math.max(this.floor.stream, firstSequence - 1);
    this.delivered.stream = Math.max(this.delivered.stream, this.floor.stream);
  }

  // --- deliveries

  expire(): void {
    const { nowNs } = this.#stream;
    const due = [...this.pending].filter(([, { dueNs }]) => dueNs !== null && dueNs <= nowNs);
    due.sort(([left], [right]) => left - right);
    for (const [sequence, pending] of due) this.#fallDue(sequence, pending);
  }

  #fallDue(sequence: number, pending: Pending): void {
    const { maxDeliver } = this.config;
    pending.dueNs = null;
    if (maxDeliver === 0 || pending.deliveries < maxDeliver) {
      this.queue.push(sequence);
      return;
    }
    this.pending.delete(sequence);
    this.exhausted.add(sequence);
    this.#stream.advisories.push(`exhausted ${this.name} s${sequence} d${pending.deliveries}`);
  }

  /** Requests are served in turn, one message each, as long as there is anything (spec 6.4, 6.5). */
  serve(): void {
    for (let request = this.waiting[0]; request !== undefined; request = this.waiting[0]) {
      if (!this.#deliver(request.request)) break;
      this.waiting.shift();
      request.remaining -= 1;
      if (request.remaining > 0) this.waiting.push(request);
    }
  }

  #deliver(request: string): boolean {
    const { config, pending, delivered } = this;
    const again = this.queue.shift();
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
      this.#stream.messages.find((message) => message.sequence >= this.next && this.wants(message.subject))
        ?.sequence;
    if (sequence === undefined) return false;
    if (again === undefined) this.next = sequence + 1;
    delivered.consumer += 1;
    delivered.stream = Math.max(delivered.stream, sequence);
    const deliveryCount = (pending.get(sequence)?.deliveries ?? 0) + 1;
    this.#stream.deliveries.push({
      consumer: this.name,
      request,
      sequence,
      consumerSequence: delivered.consumer,
      deliveryCount,
      pendingCount: this.pendingCount,
      atNs: this.#stream.nowNs,
    });
    if (config.ackPolicy === 'none') {
      this.floor = { ...delivered };
      this.#stream.releaseInterest(sequence);
      return true;
    }
    const firstConsumerSequence = pending.get(sequence)?.firstConsumerSequence ?? delivered.consumer;
    pending.set(sequence, {
      firstConsumerSequence,
      deliveries: deliveryCount,
      dueNs: this.#stream.nowNs + waitOf(config, deliveryCount),
    });
    return true;
  }

  // --- answers to deliveries (spec 6.6)

  /** Of a sequence that was delivered here. */
  acknowledge(sequence: number, kind: 'ack' | 'nak' | 'progress' | 'term', delayNs: number): void {
    const pending = this.pending.get(sequence);
    if (kind === 'nak' && pending !== undefined) this.#negative(sequence, pending, delayNs);
    if (kind === 'progress' && pending !== undefined && pending.dueNs !== null) {
      pending.dueNs = this.#stream.nowNs + waitOf(this.config, pending.deliveries);
    }
    if (kind === 'term' && pending !== undefined) {
      this.#stream.advisories.push(`terminated ${this.name} s${sequence} d${pending.deliveries}`);
    }
    if (kind === 'ack' && this.config.ackPolicy === 'all') this.#acknowledgeUpTo(sequence);
    else if (kind === 'ack' || kind === 'term') {
      const wasOpen = this.settle(sequence) || this.exhausted.delete(sequence);
      if (wasOpen) this.#stream.release(sequence);
    }
  }

  #negative(sequence: number, pending: Pending, delayNs: number): void {
    this.#stream.advisories.push(`naked ${this.name} s${sequence} d${pending.deliveries}`);
    if (pending.dueNs === null) return; // it is in the queue already
    if (delayNs > 0) pending.dueNs = this.#stream.nowNs + delayNs;
    else this.#fallDue(sequence, pending);
  }

  #acknowledgeUpTo(sequence: number): void {
    const covered = [...this.pending]
      .filter(([other]) => other <= sequence)
      .sort(([left], [right]) => left - right);
    for (const [settled, { firstConsumerSequence }] of covered) {
      this.pending.delete(settled);
      this.queue = this.queue.filter((queued) => queued !== settled);
      this.floor = { consumer: firstConsumerSequence, stream: settled };
      this.#stream.release(settled);
    }
    const isCaughtUp = this.pending.size === 0 && this.floor.stream === this.delivered.stream;
    if (isCaughtUp) this.floor.consumer = this.delivered.consumer;
  }

  /** The floor closes up behind what is done (spec 6.3). False when the sequence was not pending. */
  settle(sequence: number): boolean {
    const settled = this.pending.get(sequence);
    if (settled === undefined) return false;
    this.pending.delete(sequence);
    this.queue = this.queue.filter((queued) => queued !== sequence);
    const [oldest, ...others] = [...this.pending.keys()];
    if (oldest === undefined) this.floor = { ...this.delivered };
    else if (settled.firstConsumerSequence === this.floor.consumer + 1) {
      const lowest = Math.min(oldest, ...others);
      this.floor = {
        consumer: (this.pending.get(lowest)?.firstConsumerSequence ?? 0) - 1,
        stream: lowest - 1,
      };
    }
    return true;
  }
}

/** Whether a filter without wildcards, '' for all, takes in a subject. */
export function matches(filter: string, subject: string): boolean {
  return filter === '' || filter === subject;
}

function waitOf({ waitsNs }: ModelConsumerConfig, deliveries: number): number {
  return waitsNs[Math.min(deliveries, waitsNs.length) - 1] ?? Infinity;
}
