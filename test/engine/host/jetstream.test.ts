import { expect, it } from 'vitest';

import { publishText, VirtualBroker } from '../../support/virtual-broker.ts';

const second = 1e9;

it('commits all that one turn brings as one batch', () => {
  const server = new VirtualBroker();
  const client = server.client();
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'] });
  client.subscribe('_INBOX.x', 5);
  const frames = Array.from({ length: 50 }, (_, index) =>
    publishText('t.a', String(index), { reply: '_INBOX.x' }),
  );
  client.connection.feed(Buffer.from(frames.join('')));
  const { jetstream } = server.broker;
  expect([jetstream?.isPending, client.on(5).length]).toEqual([true, 0]);
  server.settle();
  expect(jetstream?.isPending).toBe(false);
  expect(client.on(5).map(({ body }) => body)).toEqual(
    frames.map((_, index) => `{"stream":"T","seq":${index + 1}}`),
  );
});

it('a turn that brings more than a batch holds is cut, and everything is answered in order', () => {
  const server = new VirtualBroker();
  const client = server.client();
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'], storage: 'memory' });
  client.subscribe('_INBOX.x', 5);
  const body = 'x'.repeat(300_000);
  const frames = Array.from({ length: 40 }, () => publishText('t.a', body, { reply: '_INBOX.x' }));
  client.send(frames.join(''));
  expect(client.on(5).map((message) => JSON.parse(message.body) as unknown)).toEqual(
    frames.map((_, index) => ({ stream: 'T', seq: index + 1 })),
  );
  expect(client.api('STREAM.MSG.GET.T', { seq: 40 })['message']).toMatchObject({
    data: Buffer.from(body).toString('base64'),
  });
});

it('wakes for what falls due, and for nothing when nothing does', () => {
  const server = new VirtualBroker();
  const client = server.client();
  client.api('STREAM.CREATE.T', {
    name: 'T',
    subjects: ['t.>'],
    max_age: 5 * second,
    duplicate_window: 2 * second,
  });
  expect(server.broker.nextTimerNs).toBe(Number.POSITIVE_INFINITY);
  client.store('t.a', 'x', { 'Nats-Msg-Id': 'a' });
  expect(server.broker.nextTimerNs).toBeLessThanOrEqual(2 * second);
  server.pass(2 * second);
  const stream = server.broker.jetstream?.state.streams.get('T');
  expect(stream?.dedup.entryCount).toBe(0);
  expect(stream?.messageCount).toBe(1);
  server.pass(3 * second);
  expect(stream?.messageCount).toBe(0);
  expect(server.broker.nextTimerNs).toBe(Number.POSITIVE_INFINITY);
});

it('a message that is due again goes to a request that waits', () => {
  const server = new VirtualBroker();
  const client = server.client();
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'] });
  client.api('CONSUMER.CREATE.T.c', {
    stream_name: 'T',
    config: { durable_name: 'c', ack_policy: 'explicit', ack_wait: second },
  });
  client.store('t.a', 'x');
  const sid = client.pull('T', 'c', { batch: 3 });
  expect(client.on(sid)).toHaveLength(1);
  server.pass(second - 1);
  expect(client.on(sid)).toHaveLength(1);
  server.pass(1);
  expect(client.on(sid).map(({ reply }) => reply.split('.').slice(4, 7))).toEqual([
    ['1', '1', '1'],
    ['2', '1', '2'],
  ]);
});

it('follows a stream to other subjects, and lets go of one that is deleted', () => {
  const client = new VirtualBroker().client();
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['old'] });
  client.api('STREAM.UPDATE.T', { name: 'T', subjects: ['new'] });
  expect(client.store('old')).toHaveProperty('status');
  expect(client.store('new')).toEqual({ stream: 'T', seq: 1 });
  client.api('STREAM.DELETE.T');
  expect(client.store('new')).toHaveProperty('status');
});

it('names its domain in PubAcks, and answers under it', () => {
  const client = new VirtualBroker({ config: 'jetstream { domain: D }' }).client();
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'] });
  expect(client.store('t.a')).toEqual({ stream: 'T', domain: 'D', seq: 1 });
  expect(client.request('$JS.D.API.STREAM.INFO.T')).toHaveLength(1);
  expect(client.request('$JS.E.API.STREAM.INFO.T')[0]?.header).toContain('503');
});

it('counts PubAcks among the messages it sent', () => {
  const server = new VirtualBroker();
  const client = server.client();
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'] });
  const before = server.broker.router.messagesOut;
  client.store('t.a');
  expect(server.broker.router.messagesOut).toBe(before + 1);
});
