import { describe, expect, test } from 'vitest';
import { LatencyCounts } from '../../engine/base/latency-counts.ts';
import { millisecond, second } from '../../engine/base/nanos.ts';
import { Prng } from '../../engine/base/prng.ts';
import { ConsumerDriver } from '../../workloads/consumer-driver.ts';
import type { ConsumerHandler } from '../../workloads/consumer-driver.ts';
import { deliveryFlags } from '../../workloads/consumer-ledger.ts';
import type { ConsumerPlan } from '../../workloads/workload.ts';

const ms = millisecond;

function driverOf(part: Partial<ConsumerPlan> = {}): ConsumerDriver {
  const plan: ConsumerPlan = {
    consumerCount: 1,
    prefetch: 4,
    handling: { kind: 'fixed', valueNs: 10 * ms },
    acknowledge: 'ack',
    lostAckProbability: 0,
    crashProbability: 0,
    restartDelayNs: 100 * ms,
    ...part,
  };
  const phases = { startNs: 0, warmupEndNs: 0, measureEndNs: 10 * second };
  return new ConsumerDriver({ plan, consumer: 3, prng: new Prng(1), phases });
}

/** Writes down what the driver asks for. */
class Recorder implements ConsumerHandler {
  readonly events: string[] = [];
  acknowledge(delivery: number, isDouble: boolean): void {
    this.events.push(`${isDouble ? 'double ack' : 'ack'} ${delivery}`);
  }
  crash(): void {
    this.events.push('crash');
  }
  restart(): void {
    this.events.push('restart');
  }
  take(): string[] {
    return this.events.splice(0);
  }
}

function deliver(driver: ConsumerDriver, streamSequence: number, nowNs: number, part: object = {}): number {
  const usual = {
    publisher: 0,
    counter: streamSequence - 1,
    attempt: 0,
    dueNs: nowNs - ms,
    deliveryCount: 1,
  };
  Object.assign(
    driver.incoming,
    usual,
    { streamSequence, storedNs: nowNs, crcRight: true, payloadBytes: 100 },
    part,
  );
  return driver.deliver(nowNs);
}

describe('consumer driver', () => {
  test('pulls, handles one message at a time, and acks each when it is handled', () => {
    const driver = driverOf();
    const recorder = new Recorder();
    expect(driver.pullNeeded()).toBe(4);
    driver.pulled(4, 0);
    expect(driver.pullNeeded()).toBe(0);
    for (const sequence of [1, 2, 3, 4]) expect(deliver(driver, sequence, 5 * ms)).toBe(sequence - 1);

    expect(driver.wakeNs()).toBe(15 * ms); // the others wait in the client: prefetch x handling
    driver.step(14 * ms, recorder);
    expect(recorder.take()).toEqual([]);
    driver.step(15 * ms, recorder);
    expect(recorder.take()).toEqual(['ack 0']);
    expect(driver.pullNeeded()).toBe(1); // topped up, so that a pull is open while messages wait
    expect(driver.wakeNs()).toBe(25 * ms);
    driver.step(46 * ms, recorder); // stepped late: handling times do not stretch
    expect(recorder.take()).toEqual(['ack 1', 'ack 2', 'ack 3']);
    expect(driver.wakeNs()).toBe(Infinity);
    expect(driver.pullNeeded()).toBe(4);

    const ledger = driver.finish();
    expect(ledger).toMatchObject({ consumer: 3, count: 4, crashCount: 0 });
    expect([...ledger.ackedNs]).toEqual([15 * ms, 46 * ms, 46 * ms, 46 * ms]);
    expect([...ledger.streamSequences]).toEqual([1, 2, 3, 4]);
    const { counters, endToEnd } = ledger.phases[1];
    expect(counters).toMatchObject({
      delivered: 4,
      redelivered: 0,
      acknowledged: 4,
      payloadBytesDelivered: 400,
    });
    expect([endToEnd.total, endToEnd.maxNs]).toEqual([4, ms]);
  });

  test('a consumer without handling time acks at once and keeps a second pull under way', () => {
    const driver = driverOf({ handling: { kind: 'fixed', valueNs: 0 } });
    const recorder = new Recorder();
    driver.pulled(driver.pullNeeded(), 0);
    expect(driver.pullNeeded()).toBe(4);
    driver.pulled(4, 0);
    expect(driver.pullNeeded()).toBe(0);
    for (const sequence of [1, 2, 3, 4]) deliver(driver, sequence, ms);
    expect(driver.wakeNs()).toBe(ms);
    driver.step(ms, recorder);
    expect(recorder.take()).toEqual(['ack 0', 'ack 1', 'ack 2', 'ack 3']);
    expect(driver.pullNeeded()).toBe(4);
  });

  test('tops up in steps of a sixteenth, so that a long buffer does not cost a pull for each message', () => {
    const driver = driverOf({ prefetch: 64 });
    driver.pulled(driver.pullNeeded(), 0);
    for (let sequence = 1; sequence <= 64; sequence += 1) deliver(driver, sequence, 0);
    const asked: number[] = [];
    for (let nowNs = 0; nowNs <= 90 * ms; nowNs += 10 * ms) {
      driver.step(nowNs, new Recorder());
      asked.push(driver.pullNeeded());
      driver.pulled(asked.at(-1)!, nowNs);
    }
    expect(asked).toEqual([0, 0, 0, 0, 4, 0, 0, 0, 4, 0]);
  });

  test('a pull that ends unfilled is asked for again', () => {
    const driver = driverOf();
    driver.pulled(4, 0);
    deliver(driver, 1, ms);
    expect(driver.pullNeeded()).toBe(0);
    driver.pullEnded();
    expect(driver.pullNeeded()).toBe(3);
  });

  test('double acks are confirmed, each once', () => {
    const driver = driverOf({ acknowledge: 'double-ack' });
    const recorder = new Recorder();
    deliver(driver, 1, 0);
    driver.step(10 * ms, recorder);
    expect(recorder.take()).toEqual(['double ack 0']);
    driver.confirmed(0, 12 * ms);
    driver.confirmed(0, 13 * ms);
    const ledger = driver.finish();
    expect([...ledger.confirmedNs]).toEqual([12 * ms]);
    expect(ledger.flags[0]).toBe(
      deliveryFlags.crcRight | deliveryFlags.handled | deliveryFlags.acked | deliveryFlags.confirmed,
    );
    expect(ledger.phases[1].counters.acknowledgedConfirmed).toBe(1);
    expect(() => driver.confirmed(7, 0)).toThrow('delivery 7 never was');
  });

  test('a crash comes between handling and ack, and loses the buffer', () => {
    const driver = driverOf({ crashProbability: 1 });
    const recorder = new Recorder();
    driver.pulled(4, 0);
    deliver(driver, 1, 0);
    deliver(driver, 2, 0);
    driver.step(10 * ms, recorder);
    expect(recorder.take()).toEqual(['crash']);
    expect(driver.isDown).toBe(true);
    expect(driver.pullNeeded()).toBe(0);
    expect(deliver(driver, 3, 20 * ms)).toBe(-1);
    expect(driver.wakeNs()).toBe(110 * ms);
    driver.step(110 * ms, recorder);
    expect(recorder.take()).toEqual(['restart']);
    expect(driver.pullNeeded()).toBe(4);

    const ledger = driver.finish();
    expect(ledger).toMatchObject({ count: 2, crashCount: 1 });
    expect([...ledger.flags]).toEqual([
      deliveryFlags.crcRight | deliveryFlags.handled | deliveryFlags.ackLost,
      deliveryFlags.crcRight,
    ]);
  });

  test('lost acks are handled and never sent', () => {
    const driver = driverOf({
      lostAckProbability: 0.5,
      handling: { kind: 'fixed', valueNs: 0 },
      prefetch: 1000,
    });
    const recorder = new Recorder();
    for (let sequence = 1; sequence <= 1000; sequence += 1) deliver(driver, sequence, ms);
    driver.step(ms, recorder);
    expect(Math.abs(recorder.events.length - 500)).toBeLessThan(80);
    const { flags } = driver.finish();
    expect(flags.filter((bits) => (bits & deliveryFlags.ackLost) !== 0).length).toBe(
      1000 - recorder.events.length,
    );
  });

  test('redeliveries are counted by the delivery count, with the pull that brought them', () => {
    const driver = driverOf({ prefetch: 1 });
    driver.pulled(1, 5 * ms);
    deliver(driver, 1, 6 * ms);
    driver.pulled(1, 20 * ms);
    deliver(driver, 1, 30 * ms, { deliveryCount: 2 });
    deliver(driver, 1, 40 * ms, { deliveryCount: 3 });
    const ledger = driver.finish();
    expect(ledger.phases[1].counters).toMatchObject({ delivered: 3, redelivered: 2 });
    expect([...ledger.redeliveries]).toEqual([1, 2]);
    expect([...ledger.redeliveryPulledNs]).toEqual([20 * ms, Number.NaN]);
    expect(ledger.phases[1].endToEnd.total).toBe(1);
  });

  test('end-to-end times take first copies only, and negative ones are shown as such (case C118)', () => {
    const driver = driverOf({ prefetch: 10 });
    deliver(driver, 1, 10 * ms, { dueNs: 8 * ms });
    deliver(driver, 2, 10 * ms, { dueNs: 13 * ms });
    deliver(driver, 3, 10 * ms, { dueNs: Number.NaN });
    deliver(driver, 4, 10 * ms, { attempt: 1 });
    deliver(driver, 5, 10 * ms, { crcRight: false });
    const ledger = driver.finish();
    const endToEnd = LatencyCounts.from(ledger.phases[1].endToEnd);
    expect([endToEnd.total, endToEnd.maxNs, ledger.endToEndNegativeCount]).toEqual([1, 2 * ms, 1]);
  });
});
