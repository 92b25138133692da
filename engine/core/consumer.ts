// A consumer's replicated state: what was delivered, what waits for its ack, what goes out again (spec 6.3 to 6.7).
// Who is asking for messages right now is the leader's business, in pull-queue.ts.

import type { Nanos } from '../base/nanos.ts';
import { acknowledgeKind } from './batch.ts';
import { filtersOf, type ConsumerConfig } from './consumer-config.ts';
import type { ConsumerEvents, ConsumerSource, Delivery } from './consumer-contract.ts';
import { PendingTable } from './pending-table.ts';
import { SequenceQueue } from './sequence-queue.ts';
import { SubjectFilter } from './subject-filter.ts';

export class Consumer {
  readonly id: number;
  readonly createdNs: Nanos;
  readonly pending = new PendingTable();
  /** The delivery that `deliverNext` just made. */
  readonly delivery: Delivery = { sequence: 0, consumerSequence: 0, deliveryCount: 0, pendingCount: 0 };
  readonly #source: ConsumerSource;
  readonly #events: ConsumerEvents;
  readonly #again = new SequenceQueue();
  /** Past max_deliver and not acknowledged since: sequence to deliveries. They stay in the stream. */
  readonly #exhausted = new Map<number, number>();
  /** First sequences to deliver under last_per_subject, before going on behind `nextSequence`. */
  #lastPerSubject: number[] = [];
  #config: ConsumerConfig;
  #filter: SubjectFilter;
  #waitsNs: readonly Nanos[] = [];
  #queuedCount = 0;
  nextSequence = 1;
  deliveredConsumer = 0;
  deliveredStream = 0;
  floorConsumer = 0;
  floorStream = 0;
  lastDeliveredNs = -1;
  lastFloorNs = -1;
  /** Matching messages never delivered. */
  pendingCount = 0;

  constructor(
    id: number,
    config: ConsumerConfig,
    source: ConsumerSource,
    events: ConsumerEvents,
    createdNs: Nanos,
  ) {
    this.id = id;
    this.createdNs = createdNs;
    this.#source = source;
    this.#events = events;
    this.#config = config;
    this.#filter = new SubjectFilter(filtersOf(config));
    this.#waitsNs = waitsOf(config);
  }

  get config(): ConsumerConfig {
    return this.#config;
  }

  get filter(): SubjectFilter {
    return this.#filter;
  }

  /** Messages waiting in the redelivery queue. */
  get queuedCount(): number {
    return this.#queuedCount;
  }

  /** As consumer info shows it; with max_deliver 1 nothing is ever redelivered (case C37). */
  redeliveredCount(countsSingleDelivery: boolean): number {
    if (this.#config.max_deliver === 1 && !countsSingleDelivery) return 0;
    return this.pending.redeliveredCount + this.#exhausted.size;
  }

  /** Where delivery begins; the caller knows the stream (spec 6.3, start selection). */
  startAt(sequence: number, pendingCount: number, lastPerSubject: number[]): void {
    this.nextSequence = sequence;
    this.deliveredStream = sequence - 1;
    this.floorStream = sequence - 1;
    this.#lastPerSubject = lastPerSubject;
    this.pendingCount = pendingCount;
  }

  /** Takes over a checked configuration; the caller tells `recount` when filters changed. */
  reconfigure(config: ConsumerConfig): void {
    this.#config = config;
    this.#filter = new SubjectFilter(filtersOf(config));
    this.#waitsNs = waitsOf(config);
    this.pending.relist((deliveries) => this.#waitList(deliveries));
    this.#events.timer(this.nextTimerNs());
  }

  /** Other messages match now: `countFrom` counts the matching ones at or behind a sequence. */
  recount(countFrom: (sequence: number) => number): void {
    this.#lastPerSubject = this.#lastPerSubject.filter((sequence) => this.wants(sequence));
    this.pendingCount = this.#lastPerSubject.length + countFrom(this.nextSequence);
  }

  /** New messages are held back because too many wait for their ack (spec 6.4). */
  get isStalled(): boolean {
    const limit = this.#config.max_ack_pending ?? 0;
    return limit > 0 && this.#config.ack_policy !== 'none' && this.pending.count >= limit;
  }

  /** How many `deliverNext` could deliver now. */
  get availableCount(): number {
    const limit = this.#config.max_ack_pending ?? 0;
    const bounded = limit > 0 && this.#config.ack_policy !== 'none';
    const room = bounded ? Math.max(0, limit - this.pending.count) : this.pendingCount;
    return this.#queuedCount + Math.min(this.pendingCount, room);
  }

  /** What `deliverNext` would deliver, or null. Rare: it makes an object. */
  peek(): Delivery | null {
    this.#dropStale();
    const consumerSequence = this.deliveredConsumer + 1;
    if (this.#queuedCount > 0) {
      const sequence = this.#again.peek();
      const deliveries = this.pending.deliveryCount[this.pending.find(sequence)] as number;
      return { sequence, consumerSequence, deliveryCount: deliveries + 1, pendingCount: this.pendingCount };
    }
    const sequence = this.isStalled ? 0 : this.#nextMatching();
    if (sequence === 0) return null;
    return { sequence, consumerSequence, deliveryCount: 1, pendingCount: this.pendingCount - 1 };
  }

  /** Delivers the next message into `this.delivery`: what is due again first, then new ones (spec 6.4). */
  deliverNext(nowNs: Nanos): boolean {
    this.#dropStale();
    if (this.#queuedCount > 0) {
      this.#deliverAgain(nowNs);
      return true;
    }
    if (this.isStalled) return false;
    const sequence = this.#nextMatching();
    if (sequence === 0) return false;
    this.#deliverFirst(sequence, nowNs);
    return true;
  }

  /** `this.delivery` was sent: where no ack will come, the message is done (spec 6.9). */
  sent(): void {
    if (this.#config.ack_policy === 'none') this.#events.released(this.delivery.sequence);
  }

  // Entries of the queue whose message was acknowledged, removed or exhausted meanwhile.
  #dropStale(): void {
    while (this.#again.length > 0) {
      const row = this.pending.find(this.#again.peek());
      if (row >= 0 && !this.pending.isWaiting(row)) {
        if (!this.#isSpent(row)) return;
        this.#exhaust(row);
      }
      this.#again.shift();
    }
  }

  #deliverAgain(nowNs: Nanos): void {
    const sequence = this.#again.shift();
    const row = this.pending.find(sequence);
    this.#queuedCount -= 1;
    const deliveries = this.pending.countRedelivery(row);
    this.#wait(row, deliveries, nowNs);
    this.#delivered(sequence, deliveries, nowNs);
  }

  #deliverFirst(sequence: number, nowNs: Nanos): void {
    if (this.#lastPerSubject.length > 0) this.#lastPerSubject.shift();
    else this.nextSequence = sequence + 1;
    this.pendingCount -= 1;
    if (sequence > this.deliveredStream) this.deliveredStream = sequence;
    this.#delivered(sequence, 1, nowNs);
    if (this.#config.ack_policy === 'none') {
      this.floorConsumer = this.deliveredConsumer;
      this.floorStream = this.deliveredStream;
      return;
    }
    const row = this.pending.add(sequence, this.deliveredConsumer);
    this.#wait(row, 1, nowNs);
  }

  #delivered(sequence: number, deliveryCount: number, nowNs: Nanos): void {
    this.deliveredConsumer += 1;
    this.lastDeliveredNs = nowNs;
    const { delivery } = this;
    delivery.sequence = sequence;
    delivery.consumerSequence = this.deliveredConsumer;
    delivery.deliveryCount = deliveryCount;
    delivery.pendingCount = this.pendingCount;
  }

  // The wait of a delivery goes by how many there were, and the last one given is used for all behind it.
  #waitList(deliveries: number): number {
    return Math.min(deliveries, this.#waitsNs.length);
  }

  #wait(row: number, deliveries: number, nowNs: Nanos): void {
    const list = this.#waitList(deliveries);
    this.pending.wait(row, list, nowNs);
    this.#events.timer(nowNs + (this.#waitsNs[list - 1] as number));
  }

  #nextMatching(): number {
    if (this.#lastPerSubject.length > 0) return this.#lastPerSubject[0] as number;
    let at = this.#source.nextStored(this.nextSequence);
    while (at !== 0 && !this.wants(at)) {
      this.nextSequence = at + 1;
      at = this.#source.nextStored(at + 1);
    }
    return at;
  }

  /** Whether the filter takes the message stored at that sequence. */
  wants(sequence: number): boolean {
    if (this.#filter.wantsAll) return true;
    return this.wantsSubject(this.#source.subjectIdOf(sequence));
  }

  wantsSubject(subjectId: number): boolean {
    return this.#filter.wantsAll || this.#filter.matches(subjectId, (id) => this.#source.subjectName(id));
  }

  /** A message was stored behind all others; it may still be ahead of where delivery begins. */
  stored(sequence: number, subjectId: number): void {
    if (sequence >= this.nextSequence && this.wantsSubject(subjectId)) this.pendingCount += 1;
  }

  /** A message left the stream, for whatever reason: nobody waits for it any more (cases C51, C53). */
  removed(sequence: number, subjectId: number, nowNs: Nanos): void {
    const row = this.pending.find(sequence);
    if (row >= 0) this.#settle(row, nowNs);
    else if (this.#isUndelivered(sequence) && this.wantsSubject(subjectId)) this.pendingCount -= 1;
    this.#exhausted.delete(sequence);
    const listed = this.#lastPerSubject.indexOf(sequence);
    if (listed >= 0) this.#lastPerSubject.splice(listed, 1);
  }

  /** Everything below `first` was purged: the floor follows (case C52). */
  purgedBelow(first: number): void {
    this.nextSequence = Math.max(this.nextSequence, first);
    this.floorStream = Math.max(this.floorStream, first - 1);
    this.deliveredStream = Math.max(this.deliveredStream, this.floorStream);
  }

  /** Whether interest retention must keep the message for this consumer (spec 6.9). */
  needs(sequence: number, subjectId: number): boolean {
    if (!this.wantsSubject(subjectId)) return false;
    return this.#isUndelivered(sequence) || this.pending.find(sequence) >= 0 || this.#exhausted.has(sequence);
  }

  #isUndelivered(sequence: number): boolean {
    return sequence >= this.nextSequence || this.#lastPerSubject.includes(sequence);
  }

  /** Whether an answer about that sequence can mean anything: it was delivered once (spec A32). */
  wasDelivered(sequence: number): boolean {
    return this.pending.find(sequence) >= 0 || !this.#isUndelivered(sequence);
  }

  /** A consumer's answer (spec 6.6). Repeating one, or answering an earlier delivery, is no error (case C34). */
  acknowledge(kind: number, sequence: number, delayNs: Nanos, reason: string, nowNs: Nanos): void {
    if (this.#config.ack_policy === 'none') return;
    const row = this.pending.find(sequence);
    switch (kind) {
      case acknowledgeKind.ack:
        if (this.#config.ack_policy === 'all') this.#acknowledgeUpTo(sequence, nowNs);
        else this.#acknowledgeOne(row, sequence, nowNs);
        return;
      case acknowledgeKind.terminate:
        if (row >= 0) this.#tellTerminated(row, reason);
        this.#acknowledgeOne(row, sequence, nowNs);
        return;
      case acknowledgeKind.nak:
        if (row >= 0) this.#negative(row, delayNs, nowNs);
        return;
      case acknowledgeKind.progress:
        if (row >= 0 && this.pending.isWaiting(row)) {
          this.#wait(row, this.pending.deliveryCount[row] as number, nowNs);
        }
        return;
      default:
    }
  }

  #acknowledgeOne(row: number, sequence: number, nowNs: Nanos): void {
    if (row >= 0) this.#settle(row, nowNs);
    else if (!this.#exhausted.delete(sequence)) return;
    this.#events.released(sequence);
  }

  #acknowledgeUpTo(sequence: number, nowNs: Nanos): void {
    let row = this.pending.oldest();
    while (row >= 0 && (this.pending.sequence[row] as number) <= sequence) {
      const settled = this.pending.sequence[row] as number;
      this.floorConsumer = this.pending.firstConsumerSequence[row] as number;
      this.floorStream = settled;
      this.lastFloorNs = nowNs;
      const next = this.pending.after(row);
      this.#remove(row);
      this.#events.released(settled);
      row = next;
    }
    if (this.pending.count === 0 && this.floorStream === this.deliveredStream) {
      this.floorConsumer = this.deliveredConsumer;
    }
  }

  #negative(row: number, delayNs: Nanos, nowNs: Nanos): void {
    const sequence = this.pending.sequence[row] as number;
    this.#events.negativelyAcknowledged(
      sequence,
      this.pending.firstConsumerSequence[row] as number,
      this.pending.deliveryCount[row] as number,
    );
    if (!this.pending.isWaiting(row)) return;
    if (delayNs > 0) {
      this.pending.waitUntil(row, nowNs + delayNs);
      this.#events.timer(nowNs + delayNs);
    } else {
      this.pending.stopWaiting(row);
      this.#queue(row);
    }
  }

  #tellTerminated(row: number, reason: string): void {
    this.#events.terminated(
      this.pending.sequence[row] as number,
      this.pending.firstConsumerSequence[row] as number,
      this.pending.deliveryCount[row] as number,
      reason,
    );
  }

  // The ack floor closes up to just below the oldest delivery that still waits (spec 6.3, case C45).
  #settle(row: number, nowNs: Nanos): void {
    const consumerSequence = this.pending.firstConsumerSequence[row] as number;
    this.#remove(row);
    const oldest = this.pending.oldest();
    if (oldest < 0) {
      this.floorConsumer = this.deliveredConsumer;
      this.floorStream = this.deliveredStream;
    } else if (consumerSequence === this.floorConsumer + 1) {
      this.floorConsumer = (this.pending.firstConsumerSequence[oldest] as number) - 1;
      this.floorStream = (this.pending.sequence[oldest] as number) - 1;
    }
    this.lastFloorNs = nowNs;
  }

  #remove(row: number): void {
    if (!this.pending.isWaiting(row)) this.#queuedCount -= 1;
    this.pending.remove(row);
  }

  #queue(row: number): void {
    this.#queuedCount += 1;
    if (this.#isSpent(row)) this.#exhaust(row);
    else this.#again.push(this.pending.sequence[row] as number);
  }

  #isSpent(row: number): boolean {
    const { max_deliver: limit } = this.#config;
    return limit > 0 && (this.pending.deliveryCount[row] as number) >= limit;
  }

  #exhaust(row: number): void {
    const sequence = this.pending.sequence[row] as number;
    const deliveries = this.pending.deliveryCount[row] as number;
    this.#remove(row);
    this.#exhausted.set(sequence, deliveries);
    this.#events.exhausted(sequence, deliveries);
  }

  /** Moves what fell due to the redelivery queue, in stream order (spec 6.7). */
  runTimers(nowNs: Nanos): void {
    for (const row of this.pending.takeDue(this.#waitsNs, nowNs)) this.#queue(row);
  }

  nextTimerNs(): Nanos {
    return this.pending.nextDueNs(this.#waitsNs);
  }
}

function waitsOf(config: ConsumerConfig): readonly Nanos[] {
  return config.backoff ?? [config.ack_wait ?? Number.POSITIVE_INFINITY];
}
