import { describe, expect, test } from 'vitest';
import { latin1Text } from '../../../engine/base/bytes.ts';
import { Prng } from '../../../engine/base/prng.ts';
import { ErrorCounts } from '../../../runners/trial-errors.ts';
import { WireConnection } from '../../../runners/wire/wire-connection.ts';
import { WireConsumer } from '../../../runners/wire/wire-consumer.ts';
import { ConsumerDriver } from '../../../workloads/consumer-driver.ts';
import type { ConsumerLedger } from '../../../workloads/consumer-ledger.ts';
import { payloadTemplate, writeBodyId } from '../../../workloads/operation-id.ts';
import type { ConsumerPlan } from '../../../workloads/workload.ts';
import { MemoryServer } from './memory-server.ts';
import type { Published } from './memory-server.ts';

const second = 1e9;
const plan: ConsumerPlan = {
  consumerCount: 1,
  prefetch: 4,
  handling: { kind: 'fixed', valueNs: 0 },
  acknowledge: 'ack',
  lostAckProbability: 0,
  crashProbability: 0,
  restartDelayNs: 1e6,
};

class Stage {
  readonly server: MemoryServer;
  readonly errors = new ErrorCounts();
  nowNs = 0;
  readonly driver: ConsumerDriver;
  readonly consumer: WireConsumer;

  private constructor(server: MemoryServer, connection: WireConnection, consumerPlan: ConsumerPlan) {
    this.server = server;
    const phases = { startNs: 0, warmupEndNs: 0, measureEndNs: 60 * second };
    this.driver = new ConsumerDriver({ plan: consumerPlan, consumer: 0, prng: new Prng('1'), phases });
    this.consumer = new WireConsumer({
      connection,
      driver: this.driver,
      stream: 'S',
      consumer: 'C',
      prefetch: consumerPlan.prefetch,
      errors: this.errors,
      nowNs: () => this.nowNs,
      wakeBy: () => {},
      epochSeconds: 1_700_000_000,
    });
  }

  static async open(changes: Partial<ConsumerPlan> = {}): Promise<Stage> {
    const server = new MemoryServer();
    const opening = WireConnection.open(server.transport, { name: 'c0' });
    server.say('INFO {}\r\n');
    return new Stage(server, await opening, { ...plan, ...changes });
  }

  step(atNs: number): void {
    this.nowNs = atNs;
    this.consumer.step(atNs);
  }

  pulls(): Published[] {
    return this.server.published.filter((one) => one.subject === '$JS.API.CONSUMER.MSG.NEXT.S.C');
  }

  acks(): Published[] {
    return this.server.published.filter((one) => one.subject.startsWith('$JS.ACK.'));
  }

  /** A delivery for the oldest pull of the consumer. */
  delivery(sequence: number, deliveryCount = 1, pull = 0): string {
    const body = payloadTemplate('s', 32);
    writeBodyId(body, 0, 0, sequence - 1, 0, 1000);
    const ackSubject = `$JS.ACK.S.C.${deliveryCount}.${sequence}.${sequence}.1700000001500000000.0`;
    const inbox = this.pulls()[pull]?.reply ?? '';
    const frame = this.server.frame(inbox, latin1Text(body, 0, 32), ackSubject);
    return frame.replace(`MSG ${inbox} `, 'MSG orders ');
  }

  finish(): ConsumerLedger {
    return this.driver.finish();
  }
}

test('a consumer pulls at the start, acknowledges what it handled, and logs the delivery', async () => {
  const stage = await Stage.open();
  expect(stage.pulls()).toHaveLength(0);
  stage.step(0);
  expect(latin1Text(stage.pulls()[0]?.body ?? new Uint8Array(0), 0, 9)).toBe('{"batch":');
  stage.nowNs = 5000;
  stage.server.say(stage.delivery(1) + stage.delivery(2));
  expect(stage.acks().map((ack) => ack.subject)).toEqual([
    '$JS.ACK.S.C.1.1.1.1700000001500000000.0',
    '$JS.ACK.S.C.1.2.2.1700000001500000000.0',
  ]);
  const ledger = stage.finish();
  expect([...ledger.streamSequences]).toEqual([1, 2]);
  expect([...ledger.counters]).toEqual([0, 1]);
  expect([...ledger.storedNs]).toEqual([1.5e9, 1.5e9]);
  expect(ledger.phases[1].endToEnd).toMatchObject({ total: 2, maxNs: 4000 });
});

test('consumers that handle in no time keep two pulls under way, others one', async () => {
  const instant = await Stage.open();
  instant.step(0);
  expect(instant.pulls()).toHaveLength(2);
  const slow = await Stage.open({ handling: { kind: 'fixed', valueNs: 1e6 } });
  slow.step(0);
  expect(slow.pulls()).toHaveLength(1);
});

test('a message that is handled for some time is acknowledged when it is', async () => {
  const stage = await Stage.open({ handling: { kind: 'fixed', valueNs: 1e6 } });
  stage.step(0);
  stage.server.say(stage.delivery(1) + stage.delivery(2));
  expect(stage.acks()).toHaveLength(0);
  stage.step(1e6);
  expect(stage.acks().map((ack) => ack.subject)).toEqual(['$JS.ACK.S.C.1.1.1.1700000001500000000.0']);
  stage.step(2e6);
  expect(stage.acks()).toHaveLength(2);
});

test('a double ack asks for a confirmation and believes it when it comes', async () => {
  const stage = await Stage.open({ acknowledge: 'double-ack' });
  stage.step(0);
  stage.server.say(stage.delivery(1));
  const [ack] = stage.acks();
  expect(ack?.reply).toMatch(/^_INBOX\.c0\.c\.\d{5}$/);
  stage.nowNs = 9000;
  stage.server.deliver(ack?.reply ?? '', '');
  expect([...stage.finish().confirmedNs]).toEqual([9000]);
});

describe('a pull that ends unfilled', () => {
  test('is asked for again', async () => {
    const stage = await Stage.open({ handling: { kind: 'fixed', valueNs: 1e6 } });
    stage.step(0);
    stage.server.status(stage.pulls()[0]?.reply ?? '', '408 Request Timeout');
    expect(stage.pulls()).toHaveLength(2);
    expect(stage.errors.toArray()).toEqual([]);
  });

  test('for another reason than time is told', async () => {
    const stage = await Stage.open({ handling: { kind: 'fixed', valueNs: 1e6 } });
    stage.step(0);
    stage.server.status(stage.pulls()[0]?.reply ?? '', '409 Consumer Deleted');
    expect(stage.errors.toArray()).toEqual([{ sentence: 'a pull ended with status 409', count: 1 }]);
  });

  test('without the server saying so is given up after its time', async () => {
    const stage = await Stage.open({ handling: { kind: 'fixed', valueNs: 1e6 } });
    stage.step(0);
    stage.step(5 * second);
    expect(stage.pulls()).toHaveLength(2);
  });

  test('is not asked for again while the second one is under way', async () => {
    const stage = await Stage.open();
    stage.step(0);
    stage.server.status(stage.pulls()[0]?.reply ?? '', '408 Request Timeout');
    expect(stage.pulls()).toHaveLength(2);
    stage.server.status(stage.pulls()[1]?.reply ?? '', '408 Request Timeout');
    expect(stage.pulls()).toHaveLength(4);
  });
});

test('a crash loses the buffer and hears nothing until the restart, on fresh subjects', async () => {
  const stage = await Stage.open({ crashProbability: 1, handling: { kind: 'fixed', valueNs: 1000 } });
  stage.step(0);
  const old = stage.pulls()[0]?.reply ?? '';
  stage.server.say(stage.delivery(1) + stage.delivery(2));
  stage.step(1000);
  expect(stage.acks()).toHaveLength(0);
  expect(stage.server.subscriptions.has(old)).toBe(false);
  stage.step(1000 + 1e6);
  expect(stage.pulls()).toHaveLength(2);
  expect(stage.pulls()[1]?.reply).not.toBe(old);
  expect(stage.finish().crashCount).toBe(1);
});

test('a body whose checksum is wrong is logged as such', async () => {
  const stage = await Stage.open();
  stage.step(0);
  stage.server.say(stage.delivery(1).replace(/\r\n[^]*$/, `\r\n${'x'.repeat(32)}\r\n`));
  expect([...stage.finish().flags].map((flags) => flags & 1)).toEqual([0]);
});

test('after stop nothing is pulled', async () => {
  const stage = await Stage.open();
  stage.step(0);
  stage.consumer.stop();
  stage.server.status(stage.pulls()[0]?.reply ?? '', '408 Request Timeout');
  stage.server.status(stage.pulls()[1]?.reply ?? '', '408 Request Timeout');
  expect(stage.pulls()).toHaveLength(2);
  expect(stage.consumer.isDone()).toBe(true);
});
