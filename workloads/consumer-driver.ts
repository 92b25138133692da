// The step machine of one consumer: one message is handled at a time, the rest of the pull waits in the client, which is what
// makes AckWait run out. No clock, no socket: deliveries come in, acks go out through a handler.

import { assert } from '../engine/base/assert.ts';
import type { Nanos } from '../engine/base/nanos.ts';
import type { Prng } from '../engine/base/prng.ts';
import { float64Column, uint16Column, uint8Column } from './column.ts';
import { deliveryFlags } from './consumer-ledger.ts';
import type { ConsumerLedger } from './consumer-ledger.ts';
import { isZero, sample } from './distribution.ts';
import type { BodyId } from './operation-id.ts';
import { PullLog } from './pull-log.ts';
import { newTallies, phaseAt, tallyRecords } from './tally.ts';
import type { Counters, PhaseTimes } from './tally.ts';
import type { ConsumerPlan } from './workload.ts';

/** A delivery as the connection reads it. Publisher, counter, attempt and due moment come from `readBodyId`. */
export interface Delivery extends BodyId {
  streamSequence: number;
  /** 1 for the first delivery. */
  deliveryCount: number;
  /** The stream's timestamp of the message, of any one epoch; NaN when unknown. */
  storedNs: Nanos;
  crcRight: boolean;
  payloadBytes: number;
}

/** What the driver asks of its connection. */
export interface ConsumerHandler {
  /** Send the ack of this delivery. A double ack carries a reply subject, and its answer goes to `confirmed`. */
  acknowledge(delivery: number, isDouble: boolean): void;
  /** The consumer dies: what is buffered is lost, pulls are void, nothing is delivered until `restart`. */
  crash(): void;
  restart(): void;
}

export interface ConsumerSetup {
  readonly plan: ConsumerPlan;
  readonly consumer: number;
  readonly prng: Prng;
  readonly phases: PhaseTimes;
}

export class ConsumerDriver {
  /** To be filled before `deliver`. */
  readonly incoming: Delivery = {
    publisher: 0,
    counter: 0,
    attempt: 0,
    dueNs: Number.NaN,
    streamSequence: 0,
    deliveryCount: 1,
    storedNs: Number.NaN,
    crcRight: false,
    payloadBytes: 0,
  };
  readonly consumer: number;
  readonly #plan: ConsumerPlan;
  readonly #prng: Prng;
  readonly #phases: PhaseTimes;
  readonly #isInstant: boolean;
  readonly #isDouble: boolean;
  readonly #tallies = newTallies();
  readonly #pulls = new PullLog();
  readonly #streamSequences = float64Column();
  readonly #publishers = uint16Column();
  readonly #counters = float64Column();
  readonly #deliveryCounts = uint16Column();
  readonly #flags = uint8Column();
  readonly #storedNs = float64Column();
  readonly #deliveredNs = float64Column();
  readonly #ackedNs = float64Column();
  readonly #confirmedNs = float64Column();
  readonly #redeliveries = float64Column();
  readonly #redeliveryPulledNs = float64Column();
  #redeliveryCount = 0;
  #count = 0;
  /** Deliveries from here to `#count` wait; this one is being handled. */
  #head = 0;
  #handledNs: Nanos = Infinity;
  #restartNs: Nanos = Infinity;
  #crashCount = 0;
  #endToEndNegativeCount = 0;

  constructor({ plan, consumer, prng, phases }: ConsumerSetup) {
    assert(plan.prefetch >= 1, `prefetch ${plan.prefetch} asks for nothing`);
    this.consumer = consumer;
    this.#plan = plan;
    this.#prng = prng;
    this.#phases = phases;
    this.#isInstant = isZero(plan.handling);
    this.#isDouble = plan.acknowledge === 'double-ack';
  }

  get isDown(): boolean {
    return this.#restartNs !== Infinity;
  }

  /** Deliveries that wait or are being handled. */
  get bufferedCount(): number {
    return this.#count - this.#head;
  }

  get deliveredCount(): number {
    return this.#count;
  }

  counters(): readonly [Readonly<Counters>, Readonly<Counters>, Readonly<Counters>] {
    return [this.#tallies[0].counters, this.#tallies[1].counters, this.#tallies[2].counters];
  }

  /**
   * Messages to ask for now, 0 for none; say `pulled` when the request is sent. What is held and on its way is topped up to
   * `prefetch` in steps of a sixteenth, as clients with a consume loop do: a pull is then open at most times, and a message
   * whose AckWait ran out while it waited behind others comes again. Without handling time a second pull is kept under way.
   */
  pullNeeded(): number {
    if (this.isDown) return 0;
    const { prefetch } = this.#plan;
    const held = this.bufferedCount + this.#pulls.outstanding;
    if (this.#isInstant) return held <= prefetch ? prefetch : 0;
    return prefetch - held >= Math.max(1, prefetch >> 4) ? prefetch - held : 0;
  }

  pulled(count: number, nowNs: Nanos): void {
    this.#pulls.issue(count, nowNs);
  }

  /** The oldest pull ended before it was filled (status 404, 408 or 409, or its expiry). */
  pullEnded(): void {
    this.#pulls.endOldest();
  }

  /** Takes `incoming` over. Returns the delivery's dense number, or -1 while the consumer is down and sees nothing. */
  deliver(nowNs: Nanos): number {
    if (this.isDown) return -1;
    const delivery = this.#count;
    this.#count += 1;
    this.#write(delivery, nowNs);
    this.#tell(delivery, nowNs, this.#pulls.fill());
    if (delivery === this.#head) this.#startHandling(nowNs);
    return delivery;
  }

  /** When `step` has something to do: a message has been handled, or a dead consumer comes back. */
  wakeNs(): Nanos {
    return Math.min(this.#handledNs, this.#restartNs);
  }

  /** Does what is due: acks of handled messages, a crash, a restart. */
  step(nowNs: Nanos, handler: ConsumerHandler): void {
    if (this.#restartNs <= nowNs) {
      this.#restartNs = Infinity;
      handler.restart();
    }
    while (this.#handledNs <= nowNs) this.#endHandling(nowNs, handler);
  }

  /** The server has confirmed the double ack of a delivery. */
  confirmed(delivery: number, nowNs: Nanos): void {
    if (!(delivery >= 0 && delivery < this.#count)) assert(false, `delivery ${delivery} never was`);
    if (this.#confirmedNs.get(delivery) > 0) return;
    this.#confirmedNs.set(delivery, nowNs);
    this.#flags.set(delivery, this.#flags.get(delivery) | deliveryFlags.confirmed);
    this.#tallies[phaseAt(this.#phases, nowNs)].counters.acknowledgedConfirmed += 1;
  }

  /** Ends the account. The driver must not be used afterwards. */
  finish(): ConsumerLedger {
    const count = this.#count;
    return {
      consumer: this.consumer,
      count,
      streamSequences: this.#streamSequences.toArray(count),
      publishers: this.#publishers.toArray(count),
      counters: this.#counters.toArray(count),
      deliveryCounts: this.#deliveryCounts.toArray(count),
      flags: this.#flags.toArray(count),
      storedNs: this.#storedNs.toArray(count),
      deliveredNs: this.#deliveredNs.toArray(count),
      ackedNs: this.#ackedNs.toArray(count),
      confirmedNs: this.#confirmedNs.toArray(this.#isDouble ? count : 0),
      redeliveries: this.#redeliveries.toArray(this.#redeliveryCount),
      redeliveryPulledNs: this.#redeliveryPulledNs.toArray(this.#redeliveryCount),
      phases: tallyRecords(this.#tallies),
      crashCount: this.#crashCount,
      endToEndNegativeCount: this.#endToEndNegativeCount,
    };
  }

  #write(delivery: number, nowNs: Nanos): void {
    const { incoming } = this;
    this.#streamSequences.set(delivery, incoming.streamSequence);
    this.#publishers.set(delivery, incoming.publisher);
    this.#counters.set(delivery, incoming.counter);
    this.#deliveryCounts.set(delivery, Math.min(incoming.deliveryCount, 0xffff));
    this.#flags.set(delivery, incoming.crcRight ? deliveryFlags.crcRight : 0);
    this.#storedNs.set(delivery, incoming.storedNs);
    this.#deliveredNs.set(delivery, nowNs);
  }

  #tell(delivery: number, nowNs: Nanos, pulledNs: Nanos): void {
    const { incoming } = this;
    const { counters } = this.#tallies[phaseAt(this.#phases, nowNs)];
    counters.delivered += 1;
    counters.payloadBytesDelivered += incoming.payloadBytes;
    if (incoming.deliveryCount > 1) {
      counters.redelivered += 1;
      this.#redeliveries.set(this.#redeliveryCount, delivery);
      this.#redeliveryPulledNs.set(this.#redeliveryCount, pulledNs);
      this.#redeliveryCount += 1;
    } else if (incoming.crcRight && incoming.attempt === 0 && incoming.dueNs >= this.#phases.startNs) {
      this.#timeEndToEnd(incoming.dueNs, nowNs);
    }
  }

  // Retries are left out: their copy may be a second one, and its way did not begin when the operation was due.
  #timeEndToEnd(dueNs: Nanos, nowNs: Nanos): void {
    if (nowNs < dueNs) this.#endToEndNegativeCount += 1;
    else this.#tallies[phaseAt(this.#phases, dueNs)].endToEnd.record(nowNs - dueNs);
  }

  #startHandling(startNs: Nanos): void {
    this.#handledNs = this.#isInstant ? startNs : startNs + sample(this.#plan.handling, this.#prng);
  }

  #endHandling(nowNs: Nanos, handler: ConsumerHandler): void {
    const delivery = this.#head;
    const endNs = this.#handledNs;
    this.#head += 1;
    this.#handledNs = Infinity;
    const isCrash = this.#prng.chance(this.#plan.crashProbability);
    const isLost = isCrash || this.#prng.chance(this.#plan.lostAckProbability);
    const isAcked = !isLost && this.#plan.acknowledge !== 'none';
    const lost = isLost ? deliveryFlags.ackLost : 0;
    const ending = deliveryFlags.handled | (isAcked ? deliveryFlags.acked : lost);
    this.#flags.set(delivery, this.#flags.get(delivery) | ending);
    if (isAcked) this.#acknowledge(delivery, nowNs, handler);
    if (isCrash) {
      this.#crash(nowNs, handler);
    } else if (this.#head < this.#count) {
      this.#startHandling(Math.max(endNs, this.#deliveredNs.get(this.#head)));
    }
  }

  #acknowledge(delivery: number, nowNs: Nanos, handler: ConsumerHandler): void {
    this.#ackedNs.set(delivery, nowNs);
    this.#tallies[phaseAt(this.#phases, nowNs)].counters.acknowledged += 1;
    handler.acknowledge(delivery, this.#isDouble);
  }

  #crash(nowNs: Nanos, handler: ConsumerHandler): void {
    this.#crashCount += 1;
    this.#head = this.#count;
    this.#pulls.clear();
    this.#restartNs = nowNs + this.#plan.restartDelayNs;
    handler.crash();
  }
}
