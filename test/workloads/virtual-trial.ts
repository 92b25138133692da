// A whole trial in virtual time: drivers against a server of a few lines that stores, deduplicates, delivers and redelivers.

import { assert } from '../../engine/base/assert.ts';
import { Prng } from '../../engine/base/prng.ts';
import { Auditor } from '../../workloads/audit.ts';
import type { Audit } from '../../workloads/audit-findings.ts';
import { ConsumerDriver } from '../../workloads/consumer-driver.ts';
import type { ConsumerLedger } from '../../workloads/consumer-ledger.ts';
import { preloadPlan, preloadPublisher } from '../../workloads/preload.ts';
import { PublisherDriver } from '../../workloads/publisher-driver.ts';
import { outcomes } from '../../workloads/publisher-ledger.ts';
import type { PublisherLedger } from '../../workloads/publisher-ledger.ts';
import type { PublisherPlan, WorkloadPlan } from '../../workloads/workload.ts';

const networkNs = 200_000;

interface Message {
  readonly publisher: number;
  readonly counter: number;
  readonly storedNs: number;
  deliveryCount: number;
  /** Not before this is it delivered again; Infinity once it was acked. */
  againNs: number;
}

class VirtualServer {
  readonly stream = new Map<number, Message>();
  lastSequence = 0;
  readonly #known = new Map<string, { readonly storedNs: number; readonly sequence: number }>();
  readonly #plan: WorkloadPlan;

  constructor(plan: WorkloadPlan) {
    this.#plan = plan;
  }

  publish(
    publisher: number,
    counter: number,
    nowNs: number,
  ): { readonly isDuplicate: boolean; readonly sequence: number } {
    const id = `${publisher}/${counter}`;
    const before = this.#known.get(id);
    if (before !== undefined && nowNs - before.storedNs < this.#plan.stream.duplicate_window) {
      return { isDuplicate: true, sequence: before.sequence };
    }
    this.lastSequence += 1;
    this.#known.set(id, { storedNs: nowNs, sequence: this.lastSequence });
    this.stream.set(this.lastSequence, { publisher, counter, storedNs: nowNs, deliveryCount: 0, againNs: 0 });
    return { isDuplicate: false, sequence: this.lastSequence };
  }

  ack(sequence: number): void {
    if (this.#plan.stream.retention === 'workqueue') this.stream.delete(sequence);
    const message = this.stream.get(sequence);
    if (message !== undefined) message.againNs = Infinity;
  }

  /** The next message that may be delivered. */
  deliverable(nowNs: number): number {
    for (const [sequence, message] of this.stream) if (message.againNs <= nowNs) return sequence;
    return 0;
  }
}

interface Event {
  readonly atNs: number;
  readonly act: (nowNs: number) => void;
}

/** Carries the plan out in steps of `tickNs` and audits it. One publisher, one consumer. */
export class VirtualTrial {
  readonly server: VirtualServer;
  readonly #plan: WorkloadPlan;
  readonly #events: Event[] = [];
  readonly #ledgers: PublisherLedger[] = [];
  readonly #sequenceOf: number[] = [];
  #pulled = 0;

  constructor(plan: WorkloadPlan) {
    this.#plan = plan;
    this.server = new VirtualServer(plan);
  }

  run(
    seed: number,
    tickNs = 1e6,
  ): { audit: Audit; publishers: PublisherLedger[]; consumers: ConsumerLedger[] } {
    const plan = this.#plan;
    const phases = { startNs: 0, warmupEndNs: plan.warmupNs, measureEndNs: plan.warmupNs + plan.measureNs };
    if (plan.preloadCount > 0) this.#preload(seed);
    const publisher = plan.publisher === null ? null : this.#publisher(plan.publisher, seed);
    const { consumerWork } = plan;
    const prng = new Prng(seed).fork('consumer');
    const consumer =
      consumerWork === null ? null : new ConsumerDriver({ plan: consumerWork, consumer: 0, prng, phases });
    const endNs = phases.measureEndNs + plan.drainNs;
    for (let nowNs = 0; nowNs < endNs; nowNs += tickNs) {
      this.#runEvents(nowNs);
      if (publisher !== null) this.#publish(publisher, 0, nowNs);
      if (consumer !== null) this.#consume(consumer, nowNs);
    }
    if (publisher !== null) this.#ledgers.push(publisher.finish(endNs));
    const consumers = consumer === null ? [] : [consumer.finish()];
    return { audit: this.#audit(consumers), publishers: this.#ledgers, consumers };
  }

  #publisher(plan: PublisherPlan, seed: number): PublisherDriver {
    const phases = {
      startNs: 0,
      warmupEndNs: this.#plan.warmupNs,
      measureEndNs: this.#plan.warmupNs + this.#plan.measureNs,
    };
    return new PublisherDriver({ plan, publisher: 0, prng: new Prng(seed), phases });
  }

  #preload(seed: number): void {
    const publisher = preloadPublisher(this.#plan);
    const driver = this.#publisher(preloadPlan(this.#plan), seed);
    for (let nowNs = 0; !driver.isDone; nowNs += 1) {
      this.#publish(driver, publisher, nowNs);
      this.#runEvents(Infinity);
    }
    this.#ledgers.push({ ...driver.finish(1), publisher });
  }

  #runEvents(nowNs: number): void {
    const due = this.#events.filter((event) => event.atNs <= nowNs);
    for (const event of due) {
      this.#events.splice(this.#events.indexOf(event), 1);
      event.act(Math.min(nowNs, event.atNs));
    }
  }

  #publish(driver: PublisherDriver, publisher: number, nowNs: number): void {
    while (driver.take(nowNs)) {
      const { attempt, counter } = driver.next;
      const { isDuplicate, sequence } = this.server.publish(publisher, counter, nowNs);
      const outcome = isDuplicate ? outcomes.duplicate : outcomes.stored;
      this.#events.push({
        atNs: nowNs + networkNs,
        act: (atNs) => driver.settle(attempt, outcome, sequence, atNs),
      });
    }
  }

  #consume(driver: ConsumerDriver, nowNs: number): void {
    const ackWaitNs = this.#plan.consumer?.ack_wait;
    assert(ackWaitNs !== undefined, 'the virtual server wants an AckWait');
    driver.step(nowNs, {
      acknowledge: (delivery, isDouble) => {
        this.server.ack(this.#sequenceOf[delivery] as number);
        if (!isDouble) return;
        this.#events.push({ atNs: nowNs + networkNs, act: (atNs) => driver.confirmed(delivery, atNs) });
      },
      crash: () => {
        this.#pulled = 0;
      },
      restart: () => {},
    });
    const needed = driver.pullNeeded();
    if (needed > 0) {
      driver.pulled(needed, nowNs);
      this.#pulled += needed;
    }
    for (let sequence = this.server.deliverable(nowNs); sequence > 0 && this.#pulled > 0;) {
      this.#deliver(driver, sequence, nowNs, ackWaitNs);
      sequence = this.server.deliverable(nowNs);
    }
  }

  #deliver(driver: ConsumerDriver, sequence: number, nowNs: number, ackWaitNs: number): void {
    const message = this.server.stream.get(sequence) as Message;
    this.#pulled -= 1;
    message.deliveryCount += 1;
    message.againNs = nowNs + ackWaitNs;
    const { publisher, counter, storedNs, deliveryCount } = message;
    const body = { publisher, counter, attempt: 0, dueNs: Number.NaN, crcRight: true, payloadBytes: 128 };
    Object.assign(driver.incoming, body, { streamSequence: sequence, deliveryCount, storedNs });
    this.#sequenceOf[driver.deliver(nowNs)] = sequence;
  }

  #audit(consumers: readonly ConsumerLedger[]): Audit {
    const auditor = new Auditor({ plan: this.#plan.audit, publishers: this.#ledgers, consumers });
    const { stream, lastSequence } = this.server;
    for (const [sequence, message] of stream) {
      auditor.stored(sequence, message.storedNs, message.publisher, message.counter, true);
    }
    const reported = { messages: stream.size, firstSequence: 1, lastSequence };
    return auditor.finish({ reported, isReadComplete: true, isDrained: true, reasons: [] });
  }
}
