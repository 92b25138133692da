import { describe, expect, test } from 'vitest';
import { Prng } from '../../../engine/base/prng.ts';
import { ErrorCounts } from '../../../runners/trial-errors.ts';
import { lanesFor } from '../../../runners/wire/wire-client.ts';
import { ExactLanes, FifoLanes } from '../../../runners/wire/reply-lanes.ts';
import { PublishFrames } from '../../../runners/wire/publish-frames.ts';
import { WireConnection } from '../../../runners/wire/wire-connection.ts';
import { ackTimeoutNs, WirePublisher } from '../../../runners/wire/wire-publisher.ts';
import { PublisherDriver } from '../../../workloads/publisher-driver.ts';
import type { PublisherLedger } from '../../../workloads/publisher-ledger.ts';
import type { PublisherPlan } from '../../../workloads/workload.ts';
import { MemoryServer } from './memory-server.ts';

const second = 1e9;
const closedPlan: PublisherPlan = {
  loop: 'closed',
  arrivals: 'fixed',
  stages: [{ ratePerSecond: 0, durationNs: 60 * second }],
  messageCount: 10,
  publisherCount: 1,
  subject: 'orders',
  payloadBytes: 32,
  idHeader: 'message-id',
  idLength: 22,
  inFlightMax: 4,
  catchUpMax: 16,
  retry: null,
};

class Stage {
  readonly server = new MemoryServer();
  readonly errors = new ErrorCounts();
  readonly wakes: number[] = [];
  nowNs = -5;
  readonly driver: PublisherDriver;
  readonly publisher: WirePublisher;

  private constructor(plan: PublisherPlan, connection: WireConnection) {
    const phases = { startNs: 0, warmupEndNs: 0, measureEndNs: 60 * second };
    this.driver = new PublisherDriver({ plan, publisher: 0, prng: new Prng('1'), phases });
    this.publisher = new WirePublisher({
      connection,
      driver: this.driver,
      frames: new PublishFrames({ ...plan, inbox: connection.inbox, publisher: 0, trialKey: 'k', seed: 's' }),
      lanes: lanesFor(plan),
      errors: this.errors,
      nowNs: () => this.nowNs,
      wakeBy: (atNs) => this.wakes.push(atNs),
    });
  }

  static async open(plan: PublisherPlan): Promise<Stage> {
    const server = new MemoryServer();
    const opening = WireConnection.open(server.transport, { name: 'p0' });
    server.say('INFO {}\r\n');
    const stage = new Stage(plan, await opening);
    return Object.assign(stage, { server });
  }

  step(atNs: number): void {
    this.nowNs = atNs;
    this.publisher.step(atNs);
  }

  pubAck(index: number, body: string): string {
    return this.server.frame(this.server.published[index]?.reply ?? '', body);
  }

  finish(): PublisherLedger {
    return this.driver.finish(this.nowNs);
  }
}

test('a closed loop keeps its window full, and an ack makes room for the next publish', async () => {
  const stage = await Stage.open(closedPlan);
  stage.step(0);
  expect(stage.server.published).toHaveLength(4);
  stage.nowNs = 1000;
  stage.server.say(stage.pubAck(0, '{"stream":"S","seq":1}') + stage.pubAck(1, '{"stream":"S", "seq":2}'));
  expect(stage.server.published).toHaveLength(6);
  const { counters } = stage.finish().phases[1];
  expect(counters).toMatchObject({ sent: 6, stored: 2, inFlight: 4 });
});

test('nothing is sent before the first step, whatever the server says', async () => {
  const stage = await Stage.open(closedPlan);
  stage.server.say('INFO {}\r\nPING\r\n');
  stage.server.drain();
  expect(stage.server.published).toHaveLength(0);
});

describe('answers', () => {
  async function answered(
    answer: (stage: Stage) => string,
  ): Promise<{ ledger: PublisherLedger; stage: Stage }> {
    const stage = await Stage.open({ ...closedPlan, messageCount: 1 });
    stage.step(0);
    stage.nowNs = 2000;
    stage.server.say(answer(stage));
    return { ledger: stage.finish(), stage };
  }

  test('duplicate is told apart from stored', async () => {
    const { ledger } = await answered((stage) => stage.pubAck(0, '{"stream":"S","seq":9,"duplicate": true}'));
    expect(ledger.phases[1].counters).toMatchObject({ stored: 0, duplicate: 1 });
    expect([...ledger.sequences]).toEqual([9]);
  });

  test('a definite error is failed', async () => {
    const error =
      '{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"stream":"S","seq":0}';
    const { ledger, stage } = await answered((one) => one.pubAck(0, error));
    expect(ledger.phases[1].counters).toMatchObject({ failed: 1, unknown: 0 });
    expect(stage.errors.toArray()).toEqual([{ sentence: 'PubAck error 10077', count: 1 }]);
  });

  test('an error that leaves it open is unknown', async () => {
    const error =
      '{"error":{"code":503,"err_code":10008,"description":"temporarily unavailable"},"stream":"S","seq":0}';
    const { ledger } = await answered((stage) => stage.pubAck(0, error));
    expect(ledger.phases[1].counters).toMatchObject({ failed: 0, unknown: 1 });
  });

  test('no responders is failed: nobody can have stored it', async () => {
    const { ledger } = await answered((stage) => {
      stage.server.status(stage.server.published[0]?.reply ?? '', '503');
      return '';
    });
    expect(ledger.phases[1].counters).toMatchObject({ failed: 1 });
  });

  test('a reply that is no PubAck is unknown and told', async () => {
    const { ledger, stage } = await answered((one) => one.pubAck(0, 'hello'));
    expect(ledger.phases[1].counters).toMatchObject({ unknown: 1 });
    expect(stage.errors.toArray()[0]?.sentence).toMatch(/no PubAck: 0 hello/);
  });

  test('a second reply to the same attempt is counted, not settled', async () => {
    const { ledger, stage } = await answered(
      (one) => one.pubAck(0, '{"stream":"S","seq":1}') + one.pubAck(0, '{"stream":"S","seq":1}'),
    );
    expect(ledger.phases[1].counters).toMatchObject({ stored: 1, unknown: 0 });
    expect(stage.errors.toArray()).toHaveLength(1);
  });
});

test('without an answer in time an attempt is unknown, and its late answer settles nothing', async () => {
  const stage = await Stage.open({ ...closedPlan, messageCount: 1 });
  stage.step(0);
  stage.step(ackTimeoutNs + 1e8);
  expect(stage.publisher.isDone()).toBe(true);
  stage.server.say(stage.pubAck(0, '{"stream":"S","seq":1}'));
  expect(stage.finish().phases[1].counters).toMatchObject({ stored: 0, unknown: 1 });
});

test('a lost connection leaves what was open unknown and ends the publisher', async () => {
  const stage = await Stage.open(closedPlan);
  stage.step(0);
  stage.server.hangUp(new Error('read ECONNRESET'));
  expect(stage.publisher.isDone()).toBe(true);
  expect(stage.publisher.wakeNs()).toBe(Infinity);
  expect(stage.finish().phases[1].counters).toMatchObject({ sent: 4, unknown: 4, inFlight: 0 });
  expect(stage.errors.toArray()[0]?.sentence).toBe('connection lost: read ECONNRESET');
});

test('while the other side is behind nothing more is sent', async () => {
  const stage = await Stage.open(closedPlan);
  stage.server.isWritable = false;
  stage.step(0);
  stage.nowNs = 10;
  stage.server.say(stage.pubAck(0, '{"stream":"S","seq":1}'));
  expect(stage.server.published).toHaveLength(4);
  stage.server.drain();
  expect(stage.server.published).toHaveLength(5);
});

test('an open loop sends when operations are due and times them from that moment', async () => {
  const stages = [{ ratePerSecond: 1000, durationNs: second }];
  const stage = await Stage.open({ ...closedPlan, loop: 'open', stages, messageCount: 0, inFlightMax: 100 });
  stage.step(0);
  expect(stage.server.published).toHaveLength(1);
  expect(stage.publisher.wakeNs()).toBe(1e6);
  stage.step(3e6); // two milliseconds late for the second
  expect(stage.server.published).toHaveLength(4);
  stage.nowNs = 4e6;
  stage.server.say(stage.pubAck(1, '{"stream":"S","seq":2}'));
  const { response, service } = stage.finish().phases[1];
  expect(response.maxNs).toBe(3e6);
  expect(service.maxNs).toBe(1e6);
});

test('after stop only what is open is waited for', async () => {
  const stage = await Stage.open({ ...closedPlan, inFlightMax: 1 });
  stage.step(0);
  stage.publisher.stop();
  expect(stage.publisher.isDone()).toBe(false);
  stage.server.say(stage.pubAck(0, '{"stream":"S","seq":1}'));
  expect(stage.publisher.isDone()).toBe(true);
  expect(stage.server.published).toHaveLength(1);
});

describe('lanes', () => {
  const ceiling = { ...closedPlan, inFlightMax: 4096 };
  const retry = {
    lostAckProbability: 0,
    delay: { kind: 'fixed', valueNs: 1 },
    horizonNs: 1,
    attemptsMax: 2,
  } as const;

  test('are shared for ceilings only', () => {
    expect(lanesFor(ceiling)).toBeInstanceOf(FifoLanes);
    expect(lanesFor(closedPlan)).toBeInstanceOf(ExactLanes);
    expect(lanesFor({ ...ceiling, loop: 'open' })).toBeInstanceOf(ExactLanes);
    expect(lanesFor({ ...ceiling, retry })).toBeInstanceOf(ExactLanes);
  });

  test('that answer out of turn are an error, not a guess', async () => {
    const stage = await Stage.open({ ...ceiling, messageCount: 1024 });
    for (let atNs = 0; stage.server.published.length < 1024; atNs += 1) stage.step(atNs);
    expect(stage.server.published[0]?.reply).toBe(stage.server.published[509]?.reply);
    stage.server.say(stage.pubAck(0, '{"stream":"S","seq":513}') + stage.pubAck(0, '{"stream":"S","seq":1}'));
    expect(stage.finish().phases[1].counters).toMatchObject({ stored: 1, unknown: 1 });
    expect(stage.errors.toArray()[0]?.sentence).toMatch(/out of turn/);
  });
});
