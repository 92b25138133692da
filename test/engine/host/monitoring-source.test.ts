import { expect, it } from 'vitest';

import { BrokerPages } from '../../../engine/host/monitoring-source.ts';
import { VirtualBroker } from '../../support/virtual-broker.ts';

const figures = { residentBytes: 1000, heapBytes: 200, cpuSeconds: 1.5, coreCount: 2 };

function open(): { server: VirtualBroker; client: ReturnType<VirtualBroker['client']>; pages: BrokerPages } {
  const server = new VirtualBroker();
  return {
    server,
    client: server.client({ name: 'n' }),
    pages: new BrokerPages(server.broker, () => figures),
  };
}

it('tells what went in and out, and since when', () => {
  const { server, client, pages } = open();
  client.subscribe('a', 1);
  client.publish('a', 'four');
  server.pass(3.5e9);
  expect(pages.varz()).toMatchObject({
    uptime: '3s',
    start: '2027-01-15T08:00:00Z',
    now: '2027-01-15T08:00:03.5Z',
    mem: 1000,
    cpu: 50,
    cores: 2,
    connections: 1,
    in_msgs: 1,
    in_bytes: 4,
    out_msgs: 1,
    out_bytes: 4,
    slow_consumers: 0,
  });
});

it('has a sample for each stream, and none before there is one', () => {
  const { client, pages } = open();
  const samples = (name: string): unknown =>
    pages.metrics().find((metric) => metric.name === `oncemark_${name}`)?.samples;
  expect(samples('dedup_entries')).toEqual([]);
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'], storage: 'memory', duplicate_window: 5e9 });
  client.api('STREAM.CREATE.U', { name: 'U' });
  client.store('t.a', 'x', { 'Nats-Msg-Id': '1' });
  client.store('t.a', 'x', { 'Nats-Msg-Id': '1' });
  const byStream = (left: number, right: number): unknown => [
    { labels: { stream: 'T' }, value: left },
    { labels: { stream: 'U' }, value: right },
  ];
  expect(samples('dedup_entries')).toEqual(byStream(1, 0));
  expect(samples('dedup_window_seconds')).toEqual(byStream(5, 120));
  expect(samples('stream_messages')).toEqual(byStream(1, 0));
  expect(samples('stream_bytes')).toEqual(
    byStream('t.a'.length + 'NATS/1.0\r\nNats-Msg-Id: 1\r\n\r\n'.length + 1 + 16, 0),
  );
  expect(samples('resident_bytes')).toEqual([{ labels: {}, value: 1000 }]);
});

it('shows as much of the streams as is asked for', () => {
  const { client, pages } = open();
  client.api('STREAM.CREATE.T', { name: 'T' });
  client.api('CONSUMER.CREATE.T.c', { stream_name: 'T', config: { durable_name: 'c' } });
  const jsz = (query: string): object => pages.jsz(new URLSearchParams(query));
  expect(jsz('')).toMatchObject({ streams: 1, consumers: 1, messages: 0, bytes: 0 });
  expect(jsz('')).not.toHaveProperty('account_details');
  expect(jsz('accounts=1')).toMatchObject({ account_details: [{ name: '$G' }] });
  expect(JSON.stringify(jsz('streams=true'))).not.toContain('consumer_detail');
  expect(jsz('consumers=1')).toMatchObject({
    account_details: [{ stream_detail: [{ name: 'T', consumer_detail: [{ name: 'c' }] }] }],
  });
});

it('lists connections, with their subscriptions when asked', () => {
  const { client, pages } = open();
  client.subscribe('a', 1);
  expect(pages.connz(new URLSearchParams('subs=1'))).toMatchObject({
    num_connections: 1,
    connections: [{ cid: 1, ip: '127.0.0.1', name: 'n', subscriptions: 1, subscriptions_list: ['a'] }],
  });
  expect(JSON.stringify(pages.connz(new URLSearchParams()))).not.toContain('subscriptions_list');
  expect(pages.healthz()).toEqual({ status: 'ok' });
});
