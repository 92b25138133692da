import { expect, it } from 'vitest';

import { CoreEngine } from '../../support/core-engine.ts';

const second = 1e9;

function open(config: object): CoreEngine {
  const engine = new CoreEngine();
  const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
  engine.createConsumer(stream, { durable_name: 'c', ack_policy: 'explicit', ...config });
  return engine;
}

function update(engine: CoreEngine, config: object): void {
  const answer = engine.api('CONSUMER.CREATE.T.c', {
    stream_name: 'T',
    config: { durable_name: 'c', ack_policy: 'explicit', ...config },
  });
  expect(answer).not.toHaveProperty('error');
}

it('a shorter ack wait acts on what waits already', () => {
  const engine = open({ ack_wait: 10 * second });
  const stream = engine.state.streams.get('T')!;
  engine.publish(stream, 't.a', 'x');
  engine.pull(stream, stream.consumers.get('c')!, 'p', { batch: 5 });
  engine.advance(second);
  update(engine, { ack_wait: 2 * second });
  engine.advance(2 * second);
  expect(engine.deliveries.map(({ atNs, deliveryCount }) => [atNs, deliveryCount])).toEqual([
    [0, 1],
    [2 * second, 2],
  ]);
});

// Spec 6.7 takes backoff[count - 1] whenever it looks.
it('a backoff given later counts the deliveries made before it', () => {
  const engine = open({ ack_wait: second });
  const stream = engine.state.streams.get('T')!;
  engine.publish(stream, 't.a', 'x');
  engine.pull(stream, stream.consumers.get('c')!, 'p', { batch: 9 });
  engine.advance(2 * second);
  update(engine, { backoff: [second, 2 * second, 9 * second], max_deliver: 9 });
  engine.advance(10 * second);
  expect(engine.deliveries.map(({ atNs }) => atNs)).toEqual([0, second, 2 * second]);
});

it('with other filters, what was listed and is no longer wanted is not delivered', () => {
  const engine = new CoreEngine();
  const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
  for (const subject of ['t.a', 't.b', 't.c']) engine.publish(stream, subject, 'x');
  const config = { deliver_policy: 'last_per_subject' };
  const consumer = engine.createConsumer(stream, {
    durable_name: 'c',
    ack_policy: 'explicit',
    ...config,
    filter_subject: 't.>',
  });
  expect(consumer.pendingCount).toBe(3);
  update(engine, { ...config, filter_subject: 't.b' });
  expect(consumer.pendingCount).toBe(1);
  engine.pull(stream, consumer, 'p', { batch: 5 });
  engine.publish(stream, 't.b', 'x');
  expect(engine.deliveries.map(({ sequence }) => sequence)).toEqual([2, 4]);
});

it('a limit on deliveries that is lowered ends what is past it already', () => {
  const engine = open({ ack_wait: second });
  const stream = engine.state.streams.get('T')!;
  engine.publish(stream, 't.a', 'x');
  engine.pull(stream, stream.consumers.get('c')!, 'p', { batch: 2 });
  engine.advance(2 * second);
  update(engine, { ack_wait: second, max_deliver: 2 });
  engine.pull(stream, stream.consumers.get('c')!, 'q', { batch: 5 });
  expect(engine.deliveries).toHaveLength(2);
  expect(engine.advisories.map(({ subject }) => subject)).toContain('CONSUMER.MAX_DELIVERIES.T.c');
});
