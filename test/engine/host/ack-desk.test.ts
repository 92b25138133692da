import { beforeEach, expect, it } from 'vitest';

import { VirtualBroker, type VirtualClient } from '../../support/virtual-broker.ts';

const second = 1e9;
let server: VirtualBroker;
let client: VirtualClient;

beforeEach(() => {
  server = new VirtualBroker();
  client = server.client();
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'] });
  client.api('CONSUMER.CREATE.T.c', {
    stream_name: 'T',
    config: { durable_name: 'c', ack_policy: 'explicit', ack_wait: second },
  });
  for (let count = 0; count < 3; count += 1) client.store('t.a', String(count));
});

function deliver(batch = 1): string[] {
  return client
    .on(client.pull('T', 'c', { batch, no_wait: true }))
    .flatMap(({ reply }) => (reply === '' ? [] : [reply]));
}

const pendingCount = (): unknown => client.api('CONSUMER.INFO.T.c')['num_ack_pending'];

it.each(['', '+ACK', '+OK'])('%j acknowledges, and says so when asked', (body) => {
  const [reply = ''] = deliver();
  expect(client.request(reply, body)).toMatchObject([{ body: '', header: '' }]);
  expect(pendingCount()).toBe(0);
});

it('an answer that means nothing is answered and changes nothing (spec 6.6)', () => {
  const [reply = ''] = deliver();
  expect(client.request(reply, 'whatever')).toHaveLength(1);
  expect(pendingCount()).toBe(1);
});

it('-NAK brings it again at once, or after its delay', () => {
  const [first = '', second_ = ''] = deliver(2);
  client.publish(first, '-NAK');
  client.publish(second_, '-NAK {"delay":100}');
  const sid = client.pull('T', 'c', { batch: 5 });
  expect(client.on(sid).map(({ body }) => body)).toEqual(['0', '2']);
  server.pass(100);
  expect(client.on(sid).map(({ body }) => body)).toEqual(['0', '2', '1']);
});

it('+WPI puts the ack wait off', () => {
  const [reply = ''] = deliver();
  server.pass(0.9 * second);
  client.publish(reply, '+WPI');
  const sid = client.pull('T', 'c', { batch: 5 });
  const fresh = client.on(sid).length;
  server.pass(0.9 * second);
  expect(client.on(sid)).toHaveLength(fresh);
  server.pass(0.1 * second);
  expect(client.on(sid).length).toBeGreaterThan(fresh);
});

it('+NXT acknowledges and asks for more on the same inbox', () => {
  const [reply = ''] = deliver();
  const answers = client.request(reply, '+NXT {"batch":2}');
  expect(answers.map(({ body }) => body)).toEqual(['1', '2']);
  expect(pendingCount()).toBe(2);
});

it('+TERM ends it and gives its reason in the advisory', () => {
  client.subscribe('$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.>', 7);
  const [reply = ''] = deliver();
  client.publish(reply, '+TERM cannot be read');
  expect(JSON.parse(client.on(7)[0]?.body ?? '')).toMatchObject({
    stream_seq: 1,
    consumer_seq: 1,
    deliveries: 1,
    reason: 'cannot be read',
  });
  expect(pendingCount()).toBe(0);
});

it('nobody answers for consumers that are not there or take no acks (A33), or sequences never delivered (A32)', () => {
  client.api('CONSUMER.CREATE.T.n', { stream_name: 'T', config: { durable_name: 'n', ack_policy: 'none' } });
  const [noConsumer] = client.request('$JS.ACK.T.x.1.1.1.1.0', '+ACK');
  const [noAcks] = client.request('$JS.ACK.T.n.1.1.1.1.0', '+ACK');
  expect([noConsumer?.header, noAcks?.header]).toEqual([
    expect.stringContaining('503'),
    expect.stringContaining('503'),
  ]);
  expect(client.request('$JS.ACK.T.c.1.99.1.1.0', '+ACK')).toEqual([]);
});

it('a consumer of the same name made anew takes the acks', () => {
  const [reply = ''] = deliver();
  client.publish(reply, '+ACK');
  client.api('CONSUMER.DELETE.T.c');
  expect(client.request(reply, '+ACK')[0]?.header).toContain('503');
  client.api('CONSUMER.CREATE.T.c', {
    stream_name: 'T',
    config: { durable_name: 'c', ack_policy: 'explicit' },
  });
  deliver();
  expect(client.request(reply, '+ACK')).toHaveLength(1);
  expect(pendingCount()).toBe(0);
});

it('a reply that looks like an ack subject is refused (A6)', () => {
  client.publish('t.a', 'x', { reply: '$JS.ACK.x.y.1.1.1.1.1' });
  expect(client.lines.at(-1)).toBe(
    '-ERR \'Permissions Violation for Publish with Reply of "$JS.ACK.x.y.1.1.1.1.1"\'',
  );
  expect(client.isClosed).toBe(false);
});
