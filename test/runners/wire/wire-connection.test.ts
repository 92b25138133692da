import { describe, expect, test } from 'vitest';
import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import { WireConnection, WireError, WireTimeoutError } from '../../../runners/wire/wire-connection.ts';
import { MemoryServer } from './memory-server.ts';

async function opened(): Promise<{ server: MemoryServer; connection: WireConnection }> {
  const server = new MemoryServer();
  const opening = WireConnection.open(server.transport, { name: 'p0', user: 'u', password: 'secret' });
  server.say('INFO {"version":"2.15.1"}\r\n');
  return { server, connection: await opening };
}

test('a connection shakes hands, subscribes and hands messages on', async () => {
  const { server, connection } = await opened();
  expect(JSON.parse(connection.info)).toEqual({ version: '2.15.1' });
  expect(JSON.parse(server.connects[0] ?? '')).toMatchObject({
    verbose: false,
    headers: true,
    no_responders: true,
    user: 'u',
    pass: 'secret',
  });
  const heard: string[] = [];
  connection.subscribe('news', (frame) => {
    heard.push(latin1Text(frame.bytes, frame.payloadStart, frame.payloadEnd));
  });
  server.deliver('news', 'hello');
  expect(heard).toEqual(['hello']);
});

test('handlers for the start and the end of a chunk frame its messages', async () => {
  const { server, connection } = await opened();
  const order: string[] = [];
  connection.onChunk(
    () => order.push('start'),
    () => order.push('end'),
  );
  connection.subscribe('a', () => order.push('message'));
  server.say(server.frame('a', '1') + server.frame('a', '2'));
  expect(order).toEqual(['start', 'message', 'message', 'end']);
});

describe('requests', () => {
  test('resolve with the reply and leave no subscription behind', async () => {
    const { server, connection } = await opened();
    const before = server.subscriptions.size;
    const answer = connection.request('$JS.API.INFO', '');
    const reply = server.published[0]?.reply ?? '';
    server.deliver(reply, '{"ok":true}');
    expect(await answer).toBe('{"ok":true}');
    expect(server.subscriptions.size).toBe(before);
  });

  test('that nobody answers are rejected at once', async () => {
    const { server, connection } = await opened();
    const answer = connection.request('nobody', '');
    server.status(server.published[0]?.reply ?? '', '503');
    await expect(answer).rejects.toThrow(/nobody answers nobody/);
  });

  test('without a reply in time have an unknown outcome', async () => {
    const { connection } = await opened();
    await expect(connection.request('slow', '', 5)).rejects.toBeInstanceOf(WireTimeoutError);
  });

  test('are rejected when the connection ends', async () => {
    const { server, connection } = await opened();
    server.answersPings = false;
    const answer = connection.request('slow', '');
    server.hangUp();
    await expect(answer).rejects.toThrow(/closed the connection/);
    await expect(connection.request('more', '')).rejects.toBeInstanceOf(WireError);
  });
});

test('PING is answered with PONG', async () => {
  const { server } = await opened();
  server.say('PING\r\n');
  expect(server.pongCount).toBe(1);
});

describe('the end of a connection', () => {
  test('-ERR closes it and is told with the server’s words', async () => {
    const { server, connection } = await opened();
    const told: string[] = [];
    connection.onClose((error) => told.push(error.message));
    server.say("-ERR 'Authorization Violation'\r\n");
    expect(told).toEqual(['the server says Authorization Violation']);
    expect(server.isClosed).toBe(true);
    expect(connection.isWritable).toBe(false);
  });

  test('bytes that are no NATS close it', async () => {
    const { server, connection } = await opened();
    server.say('HTTP/1.1 400 Bad Request\r\n');
    expect(connection.error?.message).toMatch(/no NATS frame/);
  });

  test('closing it oneself is no failure', async () => {
    const { server, connection } = await opened();
    connection.onClose(() => expect.unreachable());
    connection.close();
    server.hangUp();
    expect(server.isClosed).toBe(true);
  });

  test('a refusal during the handshake rejects the opening', async () => {
    const server = new MemoryServer();
    const opening = WireConnection.open(server.transport, { name: 'p0' });
    server.hangUp(new Error('connect ECONNREFUSED'));
    await expect(opening).rejects.toThrow(/ECONNREFUSED/);
  });
});

test('a full transport is told, and when it has room again', async () => {
  const { server, connection } = await opened();
  let roomCount = 0;
  connection.onWritable(() => {
    roomCount += 1;
  });
  server.isWritable = false;
  connection.send(latin1Bytes('PUB a 1\r\nx\r\n'));
  expect(connection.isWritable).toBe(false);
  server.drain();
  expect(connection.isWritable).toBe(true);
  expect(roomCount).toBe(1);
});
