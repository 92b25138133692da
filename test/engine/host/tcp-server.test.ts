// The door on TCP: who comes, who vanishes, and who is not heard of any more.

import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';

import { resolveOptions, serve, type RunningEngine, type ServerOptions } from '../../../engine/mod.ts';

const opened: RunningEngine[] = [];

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

async function start(options: Partial<ServerOptions> = {}): Promise<RunningEngine> {
  const engine = await serve({
    ...resolveOptions({ jetstream: true, port: -1, monitorPort: -1 }, null),
    ...options,
  });
  opened.push(engine);
  return engine;
}

async function connectionCount({ monitoringUrl }: RunningEngine): Promise<number> {
  const varz = (await (await fetch(`${monitoringUrl}/varz`)).json()) as { connections: number };
  return varz.connections;
}

/** All that the server says until it closes the connection. */
async function toTheEnd(socket: Socket): Promise<string> {
  let told = '';
  socket.on('data', (bytes) => {
    told += bytes.toString();
  });
  await once(socket, 'close');
  return told;
}

it('greets, answers however the bytes are cut, and flushes before it closes', async () => {
  const engine = await start();
  const socket = dial({ port: engine.port, host: '127.0.0.1', noDelay: true });
  const told = toTheEnd(socket);
  for (const part of [
    'CONN',
    'ECT {"verbose":false}\r',
    '\nSUB a 1\r\nPU',
    'B a 2\r\nh',
    'i\r\nNONSENSE\r\n',
  ]) {
    socket.write(part);
    await new Promise(setImmediate);
  }
  expect(await told).toMatch(/^INFO \{.*\} ?\r\nMSG a 1 2\r\nhi\r\n-ERR 'Unknown Protocol Operation'\r\n$/);
});

it('does not start where somebody listens already', async () => {
  const engine = await start();
  await expect(start({ port: engine.port })).rejects.toThrow('EADDRINUSE');
});

it('lets go of a client that vanishes', async () => {
  const engine = await start();
  const socket = dial(engine.port, '127.0.0.1');
  await once(socket, 'data');
  expect(await connectionCount(engine)).toBe(1);
  socket.resetAndDestroy();
  await expect.poll(() => connectionCount(engine), { interval: 5 }).toBe(0);
});

it('closes every client when it closes', async () => {
  const engine = await start();
  const socket = dial(engine.port, '127.0.0.1');
  await once(socket, 'data');
  const closed = once(socket, 'close');
  await engine.close();
  await closed;
  await expect(once(dial(engine.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
});

it('a client that never says who it is is closed in time', async () => {
  const { authorization } = resolveOptions({ auth: 't0ken' }, null);
  const engine = await start({
    authorization: authorization === null ? null : { ...authorization, timeoutNs: 20e6 },
  });
  expect(await toTheEnd(dial(engine.port, '127.0.0.1'))).toMatch(
    /^INFO .*\r\n-ERR 'Authentication Timeout'\r\n$/,
  );
});

it('a client that answers no pings is stale', async () => {
  const engine = await start({ pingIntervalNs: 10e6, maxPingsOut: 2 });
  expect(await toTheEnd(dial(engine.port, '127.0.0.1'))).toMatch(
    /PING\r\nPING\r\n-ERR 'Stale Connection'\r\n$/,
  );
});
