import { expect, it } from 'vitest';

import { VirtualBroker } from '../../support/virtual-broker.ts';

const options = (line: string | undefined): unknown => JSON.parse((line ?? '').slice('INFO '.length));

it('is greeted, and told more after its first ping (spec 1.2)', () => {
  const server = new VirtualBroker();
  const client = server.client();
  expect(options(client.lines[0])).toMatchObject({
    version: '2.10.27',
    proto: 1,
    headers: true,
    max_payload: 1_048_576,
    jetstream: true,
    client_id: 1,
    client_ip: '127.0.0.1',
  });
  client.send('PING\r\nPING\r\n');
  expect(client.lines.map((line) => line.split(' ')[0])).toEqual(['INFO', 'PONG', 'INFO', 'PONG']);
  expect(options(client.lines[2])).toMatchObject({ connect_info: true, remote_account: '$G' });
});

it.each([
  ['JSON that is none', 'CONNECT {"verbose"\r\n', null],
  ['a list', 'CONNECT []\r\n', null],
  ['a protocol to come', 'CONNECT {"protocol":2}\r\n', "-ERR 'invalid client protocol'"],
  [
    'no-responders without headers',
    'CONNECT {"verbose":false,"no_responders":true}\r\n',
    "-ERR 'no responders requires headers support'",
  ],
  [
    'headers that were not announced',
    'CONNECT {"verbose":false}\r\nHPUB a 12 12\r\nNATS/1.0\r\n\r\n\r\n',
    "-ERR 'message headers not supported'",
  ],
  [
    'a payload without its end',
    'CONNECT {"verbose":false}\r\nPUB a 2\r\nhixx',
    "-ERR 'Unknown Protocol Operation'",
  ],
])('%s ends the connection', (_, frames, answer) => {
  const client = new VirtualBroker().client(null);
  client.send(frames);
  expect(client.isClosed).toBe(true);
  expect(client.lines.slice(1)).toEqual(answer === null ? [] : [answer]);
});

it('takes a session whole or byte by byte', () => {
  const session =
    'CONNECT {"verbose":true,"protocol":1}\r\nSUB a.* 1\r\nPUB a.b 5\r\nhello\r\nPING\r\nUNSUB 1\r\n';
  const whole = new VirtualBroker().client(null);
  whole.send(session);
  const pieces = new VirtualBroker().client(null);
  for (const byte of session) pieces.send(byte);
  expect([pieces.lines, pieces.messages]).toEqual([whole.lines, whole.messages]);
  expect(whole.messages).toHaveLength(1);
});

it('a live sid is not given anew (spec 1.1)', () => {
  const client = new VirtualBroker().client();
  client.subscribe('a', 1);
  client.subscribe('b', 1);
  client.publish('a');
  client.publish('b');
  expect(client.messages.map(({ subject }) => subject)).toEqual(['a']);
});

it('bad subjects are told and the connection stays; of publishes only to the pedantic (spec 1.3)', () => {
  const server = new VirtualBroker();
  const [lax, pedantic] = [server.client(), server.client({ pedantic: true })];
  for (const client of [lax, pedantic]) client.send('SUB a..b 1\r\nPUB a.* 0\r\n\r\n');
  expect(lax.lines.slice(1)).toEqual(["-ERR 'Invalid Subject'"]);
  expect(pedantic.lines.slice(1)).toEqual(["-ERR 'Invalid Subject'", "-ERR 'Invalid Publish Subject'"]);
  expect([lax.isClosed, pedantic.isClosed]).toEqual([false, false]);
});

it('what it subscribed to is gone with it', () => {
  const server = new VirtualBroker();
  const before = server.broker.router.subscriptionCount;
  const client = server.client();
  for (const sid of [1, 2, 3]) client.subscribe(`a.${sid}`, sid, sid === 3 ? 'q' : '');
  expect(server.broker.router.subscriptionCount).toBe(before + 3);
  client.connection.close();
  client.connection.close();
  client.send('PUB a.1 0\r\n\r\n');
  expect([
    server.broker.router.subscriptionCount,
    server.broker.connections.size,
    server.broker.messagesIn,
  ]).toEqual([before, 0, 0]);
});
