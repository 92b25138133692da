// Pull requests and what they end with (spec 6.5). Statuses are those of the leader, with a real consumer behind it.

import { beforeEach, describe, expect, it } from 'vitest';

import { latin1Text } from '../../../engine/base/bytes.ts';
import type { Consumer } from '../../../engine/core/consumer.ts';
import type { PullAsk } from '../../../engine/core/pull-queue.ts';
import type { Stream } from '../../../engine/core/stream.ts';
import { CoreEngine } from '../../support/core-engine.ts';

const millisecond = 1e6;

let engine: CoreEngine;
let stream: Stream;
let consumer: Consumer;

function open(config: object = {}): void {
  engine = new CoreEngine();
  stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
  consumer = engine.createConsumer(stream, { durable_name: 'c', ack_policy: 'explicit', ...config });
}

function publish(count = 1, payload = 'x'): void {
  for (let left = count; left > 0; left -= 1) engine.publish(stream, 't.a', payload);
}

function pull(request: string, ask: Partial<PullAsk>): void {
  engine.pull(stream, consumer, request, ask);
}

/** `request kind pending/bytes`, in the order in which they were sent. */
function statuses(): string[] {
  return engine.statuses.map(({ kind, reply, pendingMessages, pendingBytes }) => {
    const rest = pendingMessages + pendingBytes > 0 ? ` ${pendingMessages}/${pendingBytes}` : '';
    return `${latin1Text(reply, 0, reply.length)} ${kind}${rest}`;
  });
}

const served = (): string[] => engine.deliveries.map(({ request, sequence }) => `${request} s${sequence}`);

beforeEach(() => open());

it('gives waiting requests one message each, in turn', () => {
  pull('a', { batch: 3 });
  pull('b', { batch: 1 });
  pull('c', { batch: 2 });
  publish(7);
  expect(served()).toEqual(['a s1', 'b s2', 'c s3', 'a s4', 'c s5', 'a s6']);
  expect(statuses()).toEqual([]);
  expect(consumer.pendingCount).toBe(1);
});

describe('requests that are refused', () => {
  const cases: readonly [config: object, ask: Partial<PullAsk>, status: string][] = [
    [{}, { idleHeartbeatNs: 6, expiresNs: 10 }, 'heartbeatTooLarge'],
    [{}, { idleHeartbeatNs: 6 }, 'heartbeatTooLarge'],
    [{ max_batch: 5 }, { batch: 6 }, 'maxRequestBatchExceeded'],
    [{ max_expires: 5 * millisecond }, { expiresNs: 5 * millisecond + 1 }, 'maxRequestExpiresExceeded'],
    [{ max_bytes: 100 }, { maxBytes: 101 }, 'maxRequestMaxBytesExceeded'],
    [{ max_batch: 5, max_bytes: 100 }, { batch: 6, maxBytes: 101 }, 'maxRequestBatchExceeded'],
    [{}, { noWait: true }, 'noMessages'],
  ];

  it.each(cases)('%j and %j: %s', (config, ask, status) => {
    open(config);
    pull('a', ask);
    expect(statuses()).toEqual([`a ${status}`]);
    expect(engine.leader.takeStatuses()).toEqual([]);
  });

  it.each([
    [{ max_batch: 5 }, { batch: 5 }],
    [{ max_bytes: 100 }, { maxBytes: 100 }],
    [{}, { idleHeartbeatNs: 5, expiresNs: 10 }],
  ])('%j and %j is right at the limit', (config, ask) => {
    open(config);
    pull('a', ask);
    expect(statuses()).toEqual([]);
  });

  it('one too many is told, unless it has a heartbeat', () => {
    open({ max_waiting: 1 });
    pull('a', {});
    pull('b', {});
    pull('c', { idleHeartbeatNs: 1, expiresNs: 10 });
    expect(statuses()).toEqual(['b maxWaitingExceeded']);
  });
});

describe('one-shot requests', () => {
  it('take what there is and end', () => {
    publish(2);
    pull('a', { batch: 5, noWait: true });
    expect(served()).toEqual(['a s1', 'a s2']);
    expect(statuses()).toEqual(['a noMessages 3/0']);
  });

  it('hear that others already ask for all there is', () => {
    open({ max_ack_pending: 1 });
    publish(2);
    pull('a', { batch: 5 });
    pull('b', { noWait: true });
    expect(statuses()).toEqual(['b requestsPending']);
  });

  it('with an expiry wait for a first message that long, and no longer than that for a second', () => {
    pull('a', { batch: 5, noWait: true, expiresNs: 50 * millisecond });
    expect(statuses()).toEqual([]);
    publish();
    expect([served(), statuses()]).toEqual([['a s1'], ['a noMessages 4/0']]);
    pull('b', { noWait: true, expiresNs: 50 * millisecond });
    engine.advance(50 * millisecond);
    expect(statuses().at(-1)).toBe('b requestTimeout 1/0');
  });

  it('are not done while a message is only held back', () => {
    open({ max_ack_pending: 1 });
    publish(2);
    pull('a', { batch: 2, noWait: true });
    expect([served(), statuses()]).toEqual([['a s1'], []]);
    engine.acknowledge(stream, consumer, 1, 'ack');
    expect([served(), statuses()]).toEqual([['a s1', 'a s2'], []]);
  });
});

describe('time', () => {
  it('ends a request at its expiry, not before', () => {
    pull('a', { batch: 3, expiresNs: 100 * millisecond });
    publish();
    engine.advance(100 * millisecond - 1);
    expect(statuses()).toEqual([]);
    engine.advance(100 * millisecond);
    expect(statuses()).toEqual(['a requestTimeout 2/0']);
    publish();
    expect(served()).toEqual(['a s1']);
  });

  it('sends heartbeats while nothing comes, and starts again with every delivery', () => {
    pull('a', { batch: 9, expiresNs: 100, idleHeartbeatNs: 30 });
    engine.advance(40);
    expect(statuses()).toEqual(['a idleHeartbeat']);
    publish();
    engine.advance(69);
    expect(statuses()).toEqual(['a idleHeartbeat']);
    engine.advance(100);
    expect(statuses()).toEqual(['a idleHeartbeat', 'a idleHeartbeat', 'a requestTimeout 8/0']);
    engine.advance(1000);
    expect(statuses()).toHaveLength(3);
  });
});

describe('byte limits', () => {
  // Subject 3, payload 1, ack subject `$JS.ACK.T.c.1.1.1.<19 digits>.0`: 40.
  const messageBytes = 3 + 1 + '$JS.ACK.T.c.1.1.1.1800000000000000000.0'.length;

  it('end a request whose next message does not fit', () => {
    publish();
    pull('a', { batch: 2, maxBytes: messageBytes - 1 });
    expect([served(), statuses()]).toEqual([[], [`a messageSizeExceedsMaxBytes 2/${messageBytes - 1}`]]);
    expect(consumer.pending.count).toBe(0);
  });

  it('end it silently when they are used up exactly', () => {
    publish(2);
    pull('a', { batch: 2, maxBytes: messageBytes });
    expect([served(), statuses()]).toEqual([['a s1'], []]);
  });

  it('leave no wish behind: a one-shot request is served at once', () => {
    publish(2);
    pull('a', { batch: 5, maxBytes: messageBytes });
    pull('b', { noWait: true });
    expect([served(), statuses()]).toEqual([['a s1', 'b s2'], []]);
  });

  it('say what is left when the batch is done first', () => {
    publish();
    pull('a', { batch: 1, maxBytes: messageBytes + 10 });
    expect([served(), statuses()]).toEqual([['a s1'], ['a batchCompleted 0/10']]);
  });

  it('pass a message on to a request that it fits', () => {
    pull('a', { batch: 1, maxBytes: 10 });
    pull('b', { batch: 1 });
    publish();
    expect([served(), statuses()]).toEqual([['b s1'], ['a messageSizeExceedsMaxBytes 1/10']]);
  });
});

it('forgets requests that nobody listens to any more, without a word', () => {
  pull('a', { batch: 5 });
  pull('b', {});
  engine.dead.add('a');
  publish();
  expect([served(), statuses()]).toEqual([['b s1'], []]);
  expect(engine.api('CONSUMER.INFO.T.c')['num_waiting']).toBe(0);
});

it('tells every request when the consumer goes, or its stream', () => {
  pull('a', { batch: 5 });
  engine.api('CONSUMER.DELETE.T.c');
  expect(statuses()).toEqual(['a consumerDeleted 5/0']);
  consumer = engine.createConsumer(stream, { durable_name: 'd', ack_policy: 'explicit' });
  pull('b', {});
  engine.api('STREAM.DELETE.T');
  expect(statuses()).toEqual(['a consumerDeleted 5/0', 'b consumerDeleted 1/0']);
});
