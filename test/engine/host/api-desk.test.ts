import { expect, it } from 'vitest';

import { publishText, VirtualBroker } from '../../support/virtual-broker.ts';

it('answers reads and writes, and counts them', () => {
  const server = new VirtualBroker();
  const client = server.client();
  expect(client.api('STREAM.CREATE.T', { name: 'T' })).toMatchObject({
    type: 'io.nats.jetstream.api.v1.stream_create_response',
    did_create: true,
  });
  expect(client.api('STREAM.NAMES')).toEqual({
    type: 'io.nats.jetstream.api.v1.stream_names_response',
    total: 1,
    offset: 0,
    limit: 1024,
    streams: ['T'],
  });
  expect(client.api('STREAM.INFO.X')).toMatchObject({
    error: { code: 404, err_code: 10059, description: 'stream not found' },
  });
  expect(server.broker.jetstream?.api.requestCount).toBe(3);
});

it('a read sees what came before it on the same connection', () => {
  const client = new VirtualBroker().client();
  client.subscribe('_INBOX.x', 5);
  const ask = (call: string, body = ''): string =>
    publishText(`$JS.API.${call}`, body, { reply: '_INBOX.x' });
  client.send(
    ask('STREAM.CREATE.T', '{"name":"T"}') +
      publishText('T', 'a') +
      publishText('T', 'b') +
      ask('STREAM.INFO.T'),
  );
  expect(JSON.parse(client.on(5).at(-1)?.body ?? '')).toMatchObject({ state: { messages: 2 } });
});

it.each([
  ['an unknown call is not answered', 'STREAM.DANCE.T', 0],
  ['a pull of a consumer that is not there has no responders (A44)', 'CONSUMER.MSG.NEXT.T.x', 1],
  ['direct get where it is not allowed has none either', 'DIRECT.GET.T', 1],
])('%s', (_, call, answerCount) => {
  const client = new VirtualBroker().client();
  client.api('STREAM.CREATE.T', { name: 'T' });
  const answers = client.request(`$JS.API.${call}`, '{}');
  expect(answers).toHaveLength(answerCount);
  for (const { header } of answers) expect(header).toContain('503');
});

it('works without a reply', () => {
  const client = new VirtualBroker().client();
  client.publish('$JS.API.STREAM.CREATE.T', '{"name":"T"}');
  expect(client.api('STREAM.NAMES')).toMatchObject({ streams: ['T'] });
});

it.each([
  ['{"batch":', '400 Bad Request - invalid JSON'],
  ['{"batch":"1"}', '400 Bad Request'],
  ['{"expires":1000,"idle_heartbeat":600}', '400 Bad Request - heartbeat value too large'],
])('a pull with %s hears %s', (body, status) => {
  const client = new VirtualBroker().client();
  client.api('STREAM.CREATE.T', { name: 'T' });
  client.api('CONSUMER.CREATE.T.c', {
    stream_name: 'T',
    config: { durable_name: 'c', ack_policy: 'explicit' },
  });
  expect(client.on(client.pull('T', 'c', body))[0]?.header).toContain(`NATS/1.0 ${status}`);
});

it('headers_only gives the size in place of the body (spec 6.1)', () => {
  const client = new VirtualBroker().client();
  client.api('STREAM.CREATE.T', { name: 'T' });
  client.api('CONSUMER.CREATE.T.c', {
    stream_name: 'T',
    config: { durable_name: 'c', ack_policy: 'explicit', headers_only: true },
  });
  client.store('T', 'seven b', { X: '1' });
  client.store('T', 'four');
  expect(client.on(client.pull('T', 'c', '2')).map(({ header, body }) => [header, body])).toEqual([
    ['NATS/1.0\r\nX: 1\r\nNats-Msg-Size: 7\r\n\r\n', ''],
    ['NATS/1.0\r\nNats-Msg-Size: 4\r\n\r\n', ''],
  ]);
});
