import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ConsumerDriver, ConsumerHandler } from '../../workloads/consumer-driver.ts';
import { readBodyId } from '../../workloads/operation-id.ts';
import { sentence } from '../setup.ts';
import type { MemberContext } from '../trial-client.ts';
import type { LoadMember } from '../trial-load.ts';

const pullExpiresMs = 2000;
const confirmTimeoutMs = 5000;

export interface OfficialConsumerParts extends MemberContext {
  readonly connection: NatsConnection;
  readonly consumer: Consumer;
  readonly driver: ConsumerDriver;
}

/** One consumer through `consumer.fetch`, one fetch for each pull that its driver asks for. */
export class OfficialConsumer implements LoadMember, ConsumerHandler {
  readonly #parts: OfficialConsumerParts;
  readonly #driver: ConsumerDriver;
  /** Messages not acknowledged yet, by delivery number. */
  readonly #messages = new Map<number, JsMsg>();
  #isStarted = false;
  #isStopped = false;
  #life = 0;

  constructor(parts: OfficialConsumerParts) {
    this.#parts = parts;
    this.#driver = parts.driver;
  }

  wakeNs(): number {
    if (this.#isStopped) return Infinity;
    return this.#isStarted ? this.#driver.wakeNs() : 0;
  }

  step(nowNs: number): void {
    this.#isStarted = true;
    this.#driver.step(nowNs, this);
    this.#pull();
  }

  isDone(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
  }

  close(): void {
    void this.#parts.connection.close();
  }

  acknowledge(delivery: number, isDouble: boolean): void {
    const message = this.#messages.get(delivery);
    this.#messages.delete(delivery);
    if (message === undefined) return;
    if (isDouble) void this.#confirm(delivery, message);
    else message.ack();
  }

  /** The fetches of the life before are heard no more. */
  crash(): void {
    this.#life += 1;
    this.#messages.clear();
  }

  restart(): void {
    this.#pull();
  }

  async #confirm(delivery: number, message: JsMsg): Promise<void> {
    try {
      const isConfirmed = await message.ackAck({ timeout: confirmTimeoutMs });
      if (isConfirmed) this.#driver.confirmed(delivery, this.#parts.nowNs());
    } catch (error) {
      this.#parts.errors.count(`a double ack was not confirmed: ${sentence(error)}`);
    }
  }

  #pull(): void {
    if (!this.#isStarted || this.#isStopped || this.#driver.isDown) return;
    for (let count = this.#driver.pullNeeded(); count > 0; count = this.#driver.pullNeeded()) {
      this.#driver.pulled(count, this.#parts.nowNs());
      void this.#fetch(count, this.#life);
    }
  }

  async #fetch(count: number, life: number): Promise<void> {
    let receivedCount = 0;
    try {
      const messages = await this.#parts.consumer.fetch({ max_messages: count, expires: pullExpiresMs });
      for await (const message of messages) {
        if (life !== this.#life || this.#isStopped) break;
        receivedCount += 1;
        this.#deliver(message);
      }
    } catch (error) {
      if (!this.#isStopped) this.#parts.errors.count(`a fetch failed: ${sentence(error)}`);
    }
    if (life !== this.#life || this.#isStopped) return;
    if (receivedCount < count) this.#driver.pullEnded();
    this.#parts.wakeBy(this.#parts.nowNs());
  }

  #deliver(message: JsMsg): void {
    const nowNs = this.#parts.nowNs();
    const { incoming } = this.#driver;
    const { data, info } = message;
    incoming.crcRight = readBodyId(data, 0, data.length, incoming);
    if (!incoming.crcRight) incoming.dueNs = Number.NaN;
    incoming.payloadBytes = data.length;
    incoming.streamSequence = message.seq;
    incoming.deliveryCount = info.deliveryCount;
    const epochNs = BigInt(this.#parts.share.epochSeconds) * 1_000_000_000n;
    incoming.storedNs = Number(message.timestampNanos - epochNs);
    const delivery = this.#driver.deliver(nowNs);
    if (delivery < 0) return;
    this.#messages.set(delivery, message);
    if (this.#driver.wakeNs() <= nowNs) this.#driver.step(nowNs, this);
    this.#pull();
    this.#parts.wakeBy(this.wakeNs());
  }
}
