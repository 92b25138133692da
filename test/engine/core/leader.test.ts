import { expect, it } from 'vitest';

import { CoreEngine } from '../../support/core-engine.ts';

const second = 1e9;

it('an ephemeral consumer ends when nobody used it for its threshold; use puts that off', () => {
  const engine = new CoreEngine();
  const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
  engine.api('CONSUMER.CREATE.T.e', {
    stream_name: 'T',
    config: { name: 'e', ack_policy: 'explicit', inactive_threshold: second },
  });
  const consumer = stream.consumers.get('e');
  expect(consumer).toBeDefined();
  engine.advance(0.9 * second);
  engine.pull(stream, consumer!, 'p', { expiresNs: 1 });
  engine.advance(1.8 * second);
  expect(stream.consumers.has('e')).toBe(true);
  engine.advance(1.9 * second + 1);
  expect(stream.consumers.has('e')).toBe(false);
});

it('a waiting request keeps an ephemeral consumer', () => {
  const engine = new CoreEngine();
  const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
  engine.api('CONSUMER.CREATE.T.e', {
    stream_name: 'T',
    config: { name: 'e', ack_policy: 'explicit', inactive_threshold: second },
  });
  engine.pull(stream, stream.consumers.get('e')!, 'p', {});
  engine.advance(10 * second);
  expect(stream.consumers.has('e')).toBe(true);
  engine.dead.add('p');
  engine.advance(20 * second);
  expect(stream.consumers.has('e')).toBe(false);
});

it('batch times never fall, whatever the clock does', () => {
  const engine = new CoreEngine();
  const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
  engine.nowNs = 500;
  engine.publish(stream, 't.a', 'x');
  engine.nowNs = 100;
  engine.publish(stream, 't.a', 'x');
  expect(engine.state.nowNs).toBe(500);
  expect(stream.lastStoredNs).toBe(500);
});

it('many consumers are served, wherever in a segment the batch begins', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (let payloadBytes = 0; payloadBytes < 160; payloadBytes += 7) {
    const engine = new CoreEngine({ segmentBytes: 8192 });
    const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
    const consumers = names.map((name) =>
      engine.createConsumer(stream, { durable_name: name, ack_policy: 'explicit' }),
    );
    for (const consumer of consumers) engine.pull(stream, consumer, consumer.config.name, { batch: 1000 });
    while (engine.log.tail.number < 3) engine.publish(stream, 't.a', 'x'.repeat(payloadBytes));
    const counts = consumers.map(({ deliveredConsumer }) => deliveredConsumer);
    expect(counts).toEqual(names.map(() => stream.lastSequence));
  }
});

it('a consumer that begins in the future waits without turning round and round', () => {
  const engine = new CoreEngine();
  const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
  const consumer = engine.createConsumer(stream, {
    durable_name: 'c',
    ack_policy: 'explicit',
    deliver_policy: 'by_start_sequence',
    opt_start_seq: 3,
  });
  engine.pull(stream, consumer, 'p', { batch: 2 });
  engine.publish(stream, 't.a', 'x');
  engine.publish(stream, 't.a', 'x');
  expect([consumer.pendingCount, engine.deliveries]).toEqual([0, []]);
  engine.publish(stream, 't.a', 'x');
  expect(engine.deliveries.map(({ sequence }) => sequence)).toEqual([3]);
});
