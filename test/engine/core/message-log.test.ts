import { expect, it } from 'vitest';

import { MemoryLog } from '../../../engine/core/message-log.ts';
import { CoreEngine } from '../../support/core-engine.ts';

it('drops a segment exactly when nothing in it is live and it is not the tail', () => {
  const log = new MemoryLog(1024);
  const first = log.tail;
  log.adjustLive(first.number, 100);
  log.roll(10);
  expect(log.heldBytes).toBe(2048);
  expect(log.segment(first.number)).toBe(first);
  log.adjustLive(first.number, -60);
  expect(log.heldBytes).toBe(2048);
  log.adjustLive(first.number, -40);
  expect(log.heldBytes).toBe(1024);
  expect(() => log.segment(first.number)).toThrow('log segment 1 was dropped while in use');
});

it('drops the old tail at once when nothing was kept of it', () => {
  const log = new MemoryLog(1024);
  log.roll(10);
  log.roll(10);
  expect([log.heldBytes, log.tail.number]).toEqual([1024, 3]);
});

it('makes room for a record that is larger than a segment', () => {
  const log = new MemoryLog(1024);
  expect(log.roll(5000).bytes.length).toBe(5000);
  expect(log.roll(10).bytes.length).toBe(1024);
});

it('never counts below zero', () => {
  const log = new MemoryLog(1024);
  expect(() => log.adjustLive(1, -1)).toThrow('a log segment holds no fewer than zero live bytes');
});

it('a work queue that is worked off holds less than three segments, however long it runs', () => {
  const engine = new CoreEngine({ segmentBytes: 1024 * 1024 });
  const stream = engine.createStream({
    name: 'T',
    subjects: ['t.>'],
    storage: 'memory',
    retention: 'workqueue',
  });
  const consumer = engine.createConsumer(stream, { durable_name: 'c', ack_policy: 'explicit' });
  let highestBytes = 0;
  for (let round = 0; round < 1000; round += 1) {
    const first = round * 200 + 1;
    for (let count = 0; count < 200; count += 1) engine.add(stream, 't.a', 'x'.repeat(64));
    engine.commit();
    engine.pull(stream, consumer, `p${round}`, { batch: 200 });
    for (let at = first; at < first + 200; at += 1) engine.addAcknowledge(stream, consumer, at, 'ack');
    engine.commit();
    highestBytes = Math.max(highestBytes, engine.log.heldBytes);
    engine.deliveries.length = 0;
  }
  expect([stream.lastSequence, stream.messageCount, consumer.floorStream]).toEqual([200_000, 0, 200_000]);
  expect(highestBytes).toBeLessThan(3 * 1024 * 1024);
});
