import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { oncemark, startOncemark, testFolder } from '../support/command-line.ts';

interface Ready {
  readonly port: number;
  readonly monitoringUrl: string;
}

async function startServer(
  args: readonly string[],
): Promise<{ ready: Ready; stop(): Promise<number | null> }> {
  const running = startOncemark(['serve', ...args, '--json']);
  const line = await running.printed('}\n');
  return {
    ready: JSON.parse(line) as Ready,
    stop: async () => {
      running.child.kill('SIGTERM');
      return (await running.finished).code;
    },
  };
}

test('serve is a server for the official client, and ends on SIGTERM', async () => {
  const server = await startServer(['-js', '-a', '127.0.0.1', '-p', '-1', '-m', '-1']);
  const connection = await connectNats({ servers: `127.0.0.1:${server.ready.port}` });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'], duplicate_window: 60e9 });
  const stream = jetstream(connection);
  const first = await stream.publish('orders.1', 'a', { msgID: 'id-1' });
  const again = await stream.publish('orders.1', 'a', { msgID: 'id-1' });
  expect([first.seq, first.duplicate, again.seq, again.duplicate]).toEqual([1, false, 1, true]);
  await connection.close();
  const health = await fetch(`${server.ready.monitoringUrl}/healthz`);
  expect(await health.json()).toEqual({ status: 'ok' });
  expect(await server.stop()).toBe(0);
});

test('a configuration file in the syntax of nats-server is read', async () => {
  const file = join(testFolder(), 'server.conf');
  writeFileSync(
    file,
    'host: 127.0.0.1\nport: -1\nhttp: 127.0.0.1:-1\njetstream { max_mem_store: 1GB }\nauthorization { token: secret }\n',
  );
  const server = await startServer(['-c', file]);
  await expect(connectNats({ servers: `127.0.0.1:${server.ready.port}`, reconnect: false })).rejects.toThrow(
    /authorization/i,
  );
  const connection = await connectNats({ servers: `127.0.0.1:${server.ready.port}`, token: 'secret' });
  await connection.close();
  expect(await server.stop()).toBe(0);
});

test.each([
  [['--profile', 'loose'], 'Allowed choices are strict, nats'],
  [['-p', 'http'], 'http'],
  [['-c', 'no-such.conf'], '--config: "no-such.conf" cannot be read'],
])('serve %j is refused with code 2', async (args, sentence) => {
  const end = await oncemark(['serve', ...args]);
  expect(end.stderr).toContain(sentence);
  expect(end).toMatchObject({ code: 2, stdout: '' });
});

test('a monitoring port that is taken ends the server, not only its monitoring', async () => {
  const server = await startServer(['-p', '-1', '-m', '-1']);
  const monitorPort = new URL(server.ready.monitoringUrl ?? '').port;
  const end = await oncemark(['serve', '-p', '-1', '-m', monitorPort]);
  expect(end.stderr).toContain('the server cannot listen: ');
  expect(end.code).toBe(2);
  await server.stop();
});

test('a port that is taken is told', async () => {
  const server = await startServer(['-p', '-1', '-m', '-1']);
  const end = await oncemark(['serve', '-p', String(server.ready.port)]);
  expect(end.stderr).toContain('the server cannot listen: ');
  expect(end.code).toBe(2);
  await server.stop();
  await expect(
    new Promise((resolve, reject) =>
      connect(server.ready.port, '127.0.0.1').on('connect', resolve).on('error', reject),
    ),
  ).rejects.toThrow('ECONNREFUSED');
});
