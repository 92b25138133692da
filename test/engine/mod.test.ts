// The whole server over loopback, with the official client in front of it.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos, type NatsConnection } from '@nats-io/transport-node';

import { resolveOptions, serve, type RunningEngine, type ServerFlags } from '../../engine/mod.ts';

const opened: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function start(flags: ServerFlags = {}): Promise<RunningEngine> {
  const engine = await serve(resolveOptions({ jetstream: true, port: -1, ...flags }, null));
  opened.push(() => engine.close());
  return engine;
}

async function client({ port }: RunningEngine, options: object = {}): Promise<NatsConnection> {
  const connection = await connect({ servers: `127.0.0.1:${port}`, reconnect: false, ...options });
  opened.push(() => connection.close());
  return connection;
}

it('stores once, delivers, and confirms acks to the official client', async () => {
  const engine = await start();
  const connection = await client(engine);
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'T', subjects: ['t.>'] });
  await manager.consumers.add('T', {
    durable_name: 'c',
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(5000),
  });
  const stream = jetstream(connection);
  expect(await stream.publish('t.a', 'once', { msgID: '1' })).toMatchObject({ seq: 1, duplicate: false });
  expect(await stream.publish('t.a', 'again', { msgID: '1' })).toMatchObject({ seq: 1, duplicate: true });
  expect(engine.dedup().entryCount).toBe(1);
  expect(engine.dedup().bytes).toBeGreaterThan(0);
  await stream.publish('t.b', 'second');
  const consumer = await stream.consumers.get('T', 'c');
  const messages = await consumer.consume({ max_messages: 10 });
  const bodies: string[] = [];
  for await (const message of messages) {
    bodies.push(message.string());
    expect(await message.ackAck()).toBe(true);
    if (bodies.length === 2) break;
  }
  expect(bodies).toEqual(['once', 'second']);
  expect(await consumer.info()).toMatchObject({
    num_pending: 0,
    num_ack_pending: 0,
    ack_floor: { consumer_seq: 2, stream_seq: 2 },
  });
});

it('shows itself over HTTP', async () => {
  const engine = await start({ monitorPort: -1 });
  const connection = await client(engine, { name: 'watcher' });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'T', subjects: ['t.>'] });
  await manager.consumers.add('T', { durable_name: 'c', ack_policy: AckPolicy.Explicit });
  await jetstream(connection).publish('t.a', 'x', { msgID: '1' });
  const page = async (path: string): Promise<Response> => fetch(`${engine.monitoringUrl}${path}`);
  const json = async (path: string): Promise<unknown> => (await page(path)).json();
  expect(await json('/varz')).toMatchObject({
    version: engine.identity.version,
    connections: 1,
    total_connections: 1,
    port: engine.port,
  });
  expect(await json('/jsz')).toMatchObject({ streams: 1, consumers: 1, messages: 1 });
  expect(await json('/jsz')).not.toHaveProperty('account_details');
  expect(await json('/jsz?consumers=1&config=1')).toMatchObject({
    account_details: [
      {
        name: '$G',
        stream_detail: [
          {
            name: 'T',
            config: { name: 'T' },
            state: { messages: 1 },
            consumer_detail: [{ name: 'c', num_pending: 1 }],
          },
        ],
      },
    ],
  });
  expect(await json('/connz?subs=1')).toMatchObject({
    num_connections: 1,
    connections: [{ name: 'watcher', lang: 'nats.js' }],
  });
  expect(await json('/healthz')).toEqual({ status: 'ok' });
  const metrics = await (await page('/metrics')).text();
  for (const line of [
    'oncemark_stream_messages{stream="T"} 1',
    'oncemark_dedup_entries{stream="T"} 1',
    'oncemark_dedup_window_seconds{stream="T"} 120',
    'oncemark_connections 1',
  ]) {
    expect(metrics.split('\n')).toContain(line);
  }
  expect(metrics).toMatch(/^oncemark_dedup_bytes\{stream="T"\} [1-9]\d*$/m);
});

it('says in a file where it listens, and takes the file away', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'oncemark-ports-'));
  opened.push(() => Promise.resolve(rmSync(directory, { recursive: true })));
  const engine = await serve(
    resolveOptions({ jetstream: true, port: -1, monitorPort: -1, portsFileDir: directory }, null),
  );
  const names = readdirSync(directory);
  expect(names).toEqual([`nats-server_${process.pid}.ports`]);
  expect(JSON.parse(readFileSync(join(directory, names[0] ?? ''), 'utf8'))).toEqual({
    nats: [`nats://127.0.0.1:${engine.port}`],
    monitoring: [engine.monitoringUrl],
  });
  await engine.close();
  expect(readdirSync(directory)).toEqual([]);
});

it('names itself as results do', async () => {
  const [strict, nats] = [await start(), await start({ profile: 'nats', announce: '2.10.27' })];
  expect(strict.identity).toEqual({
    name: 'oncemark-engine',
    version: '2.10.27',
    profile: 'strict',
    storage: 'memory',
  });
  expect(nats.identity).toEqual({
    name: 'oncemark-engine',
    version: '2.10.27',
    profile: 'nats-2.10.27',
    storage: 'memory',
  });
  expect([strict.monitoringUrl, strict.heapBytes() > 0]).toEqual([null, true]);
});
