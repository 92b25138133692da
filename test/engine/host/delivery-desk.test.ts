import { expect, it } from 'vitest';

import { VirtualBroker, type VirtualClient } from '../../support/virtual-broker.ts';

function open(config: object = {}): { server: VirtualBroker; client: VirtualClient } {
  const server = new VirtualBroker();
  const client = server.client();
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'] });
  client.api('CONSUMER.CREATE.T.c', {
    stream_name: 'T',
    config: { durable_name: 'c', ack_policy: 'explicit', ...config },
  });
  return { server, client };
}

it('a delivery is the stored message, its reply the ack subject with all its numbers (A46)', () => {
  const { server, client } = open();
  server.pass(1_500_000_001);
  client.store('t.a', 'body', { X: '1' });
  server.pass(5);
  client.store('t.b', 'behind it');
  const sid = client.pull('T', 'c');
  expect(client.on(sid)).toEqual([
    {
      subject: 't.a',
      sid,
      reply: '$JS.ACK.T.c.1.1.1.1800000001500000001.1',
      header: 'NATS/1.0\r\nX: 1\r\n\r\n',
      body: 'body',
    },
  ]);
});

it('a subject that is not ASCII comes back byte for byte', () => {
  const { client } = open();
  const subject = Buffer.from('t.grün', 'utf8').toString('latin1');
  client.store(subject, '\u00ff\u0000');
  expect(client.on(client.pull('T', 'c'))).toMatchObject([{ subject, body: '\u00ff\u0000' }]);
});

it.each([
  ['nothing there', {}, { no_wait: true }, 'NATS/1.0 404 No Messages\r\n\r\n'],
  [
    'time over',
    {},
    { batch: 3, expires: 1e9 },
    'NATS/1.0 408 Request Timeout\r\nNats-Pending-Messages: 3\r\nNats-Pending-Bytes: 0\r\n\r\n',
  ],
  ['too many', { max_batch: 5 }, { batch: 6 }, 'NATS/1.0 409 Exceeded MaxRequestBatch of 5\r\n\r\n'],
  [
    'too long',
    { max_expires: 1e9 },
    { expires: 2e9 },
    'NATS/1.0 409 Exceeded MaxRequestExpires of 1s\r\n\r\n',
  ],
  [
    'too large',
    { max_bytes: 10 },
    { max_bytes: 11 },
    'NATS/1.0 409 Exceeded MaxRequestMaxBytes of 10\r\n\r\n',
  ],
])('%s: the status goes to the inbox itself', (_, config, ask, header) => {
  const { server, client } = open(config);
  const sid = client.pull('T', 'c', ask);
  server.pass(1e9);
  expect(client.on(sid)).toEqual([{ subject: `_INBOX.v.${sid}`, sid, reply: '', header, body: '' }]);
});

it('a heartbeat tells what was delivered last', () => {
  const { server, client } = open();
  client.store('t.a');
  const sid = client.pull('T', 'c', { batch: 2, expires: 1e9, idle_heartbeat: 4e8 });
  server.pass(5e8);
  expect(client.on(sid).at(-1)?.header).toBe(
    'NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 1\r\nNats-Last-Stream: 1\r\n\r\n',
  );
});
