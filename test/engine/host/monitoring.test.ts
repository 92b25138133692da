import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Health, Monitoring, MonitoringSource } from '../../../engine/host/monitoring.ts';
import { startMonitoring } from '../../../engine/host/monitoring.ts';

let open: Monitoring | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function start(health: Health = { status: 'ok' }): Promise<string> {
  const source: MonitoringSource = {
    varz: () => ({ version: '2.10.27' }),
    jsz: (query) => ({ streams: query.get('streams') }),
    connz: (query) => ({ subs: query.get('subs') }),
    healthz: () => health,
    metrics: () => [{ name: 'up', help: 'Up.', type: 'gauge', samples: [{ labels: {}, value: 1 }] }],
  };
  open = await startMonitoring({ host: '127.0.0.1', port: 0, source });
  return `http://127.0.0.1:${open.port}`;
}

describe('startMonitoring', () => {
  test('serves what the source says as JSON', async () => {
    const url = await start();
    const response = await fetch(`${url}/varz`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ version: '2.10.27' });
  });

  test('passes the query on', async () => {
    const url = await start();
    expect(await (await fetch(`${url}/jsz?streams=true`)).json()).toEqual({ streams: 'true' });
    expect(await (await fetch(`${url}/connz/?subs=a%3Fb`)).json()).toEqual({ subs: 'a?b' });
  });

  test('is healthy with 200 and otherwise 503 with a reason (spec 9)', async () => {
    const healthy = await fetch(`${await start()}/healthz?js-enabled-only=true`);
    expect([healthy.status, await healthy.json()]).toEqual([200, { status: 'ok' }]);
    await open?.close();
    const ill = await fetch(`${await start({ status: 'error', error: 'disk is full' })}/healthz`);
    expect([ill.status, await ill.json()]).toEqual([
      503,
      { status: 'error', status_code: 503, error: 'disk is full' },
    ]);
  });

  test('serves metrics as text, and a page of links', async () => {
    const url = await start();
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('version=0.0.4');
    expect(await metrics.text()).toBe('# HELP up Up.\n# TYPE up gauge\nup 1\n');
    expect(await (await fetch(url)).text()).toContain('<a href="/varz">varz</a>');
  });

  test('answers HEAD with headers alone', async () => {
    const url = await start();
    const response = await fetch(`${url}/varz`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    const length = Number(response.headers.get('content-length'));
    expect(length).toBe((await (await fetch(`${url}/varz`)).text()).length);
  });

  test('refuses other pages and methods', async () => {
    const url = await start();
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/varz/more`)).status).toBe(404);
    const post = await fetch(`${url}/varz`, { method: 'POST', body: 'x' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('rejects when the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const { port } = other.address() as AddressInfo;
    const source = {} as MonitoringSource;
    await expect(startMonitoring({ host: '127.0.0.1', port, source })).rejects.toThrow('EADDRINUSE');
    other.close();
  });

  test('closes although a client keeps its connection', async () => {
    const url = await start();
    await (await fetch(`${url}/varz`, { headers: { connection: 'keep-alive' } })).text();
    await open?.close();
    await expect(fetch(`${url}/varz`)).rejects.toThrow('fetch failed');
  });
});
