// What the monitoring pages and the metrics say (spec 9).

import { rfc3339 } from '../base/nanos.ts';
import { streamState, plainState, consumerView, timeText } from '../core/api/views.ts';
import type { Stream } from '../core/stream.ts';
import type { Broker } from './broker.ts';
import type { ClientConnection } from './client-connection.ts';
import type { Metric, MetricSample } from './metrics-text.ts';
import type { Health, MonitoringSource } from './monitoring.ts';

const accountName = '$G';

/** What the operating system says of this process. */
export interface ProcessFigures {
  readonly residentBytes: number;
  /** Live objects of the JavaScript heap and what it holds outside of it. */
  readonly heapBytes: number;
  readonly cpuSeconds: number;
  readonly coreCount: number;
}

export class BrokerPages implements MonitoringSource {
  readonly #broker: Broker;
  readonly #figures: () => ProcessFigures;
  readonly #startNs: number;

  constructor(broker: Broker, figures: () => ProcessFigures) {
    this.#broker = broker;
    this.#figures = figures;
    this.#startNs = broker.clock.now();
  }

  varz(): object {
    const { broker, figures } = { broker: this.#broker, figures: this.#figures() };
    const { epoch } = broker.clock;
    const now = broker.clock.now();
    const uptimeSeconds = Math.floor((now - this.#startNs) / 1e9);
    return {
      server_id: broker.serverId,
      server_name: broker.options.serverName ?? broker.serverId,
      version: broker.version,
      proto: 1,
      host: broker.options.host,
      port: broker.port,
      max_connections: broker.options.maxConnections,
      max_payload: broker.options.maxPayloadBytes,
      max_pending: broker.options.maxPendingBytes,
      start: rfc3339(epoch, this.#startNs),
      now: rfc3339(epoch, now),
      uptime: `${uptimeSeconds}s`,
      mem: figures.residentBytes,
      cpu: uptimeSeconds === 0 ? 0 : (figures.cpuSeconds / uptimeSeconds) * 100,
      cores: figures.coreCount,
      connections: broker.connections.size,
      total_connections: broker.totalConnections,
      subscriptions: broker.router.subscriptionCount,
      slow_consumers: broker.slowConsumerCount,
      in_msgs: broker.messagesIn,
      out_msgs: broker.router.messagesOut,
      in_bytes: broker.bytesIn,
      out_bytes: broker.router.bytesOut,
      ...(broker.jetstream === null ? {} : { jetstream: { config: this.#config(), stats: this.#totals() } }),
    };
  }

  #streams(): Stream[] {
    return [...(this.#broker.jetstream?.state.streams.values() ?? [])];
  }

  #config(): object {
    const { jetstream, sync } = this.#broker.options;
    return {
      max_memory: jetstream.maxMemoryBytes ?? -1,
      max_storage: jetstream.maxFileBytes ?? -1,
      sync_always: sync === 'always',
    };
  }

  #totals(): object {
    const streams = this.#streams();
    const bytesOf = (storage: string): number =>
      streams
        .filter(({ config }) => config.storage === storage)
        .reduce((sum, { byteCount }) => sum + byteCount, 0);
    return {
      memory: bytesOf('memory'),
      storage: bytesOf('file'),
      reserved_memory: 0,
      reserved_storage: 0,
      accounts: 1,
      ha_assets: 0,
      api: { total: this.#broker.jetstream?.api.requestCount ?? 0, errors: 0 },
    };
  }

  jsz(query: URLSearchParams): object {
    const { epoch } = this.#broker.clock;
    const streams = this.#streams();
    const sum = (value: (stream: Stream) => number): number =>
      streams.reduce((total, stream) => total + value(stream), 0);
    return {
      ...this.#totals(),
      server_id: this.#broker.serverId,
      now: rfc3339(epoch, this.#broker.clock.now()),
      config: this.#config(),
      streams: streams.length,
      consumers: sum(({ consumers }) => consumers.size),
      messages: sum(({ messageCount }) => messageCount),
      bytes: sum(({ byteCount }) => byteCount),
      ...(asks(query, ['accounts', 'streams', 'consumers'])
        ? { account_details: [this.#account(query)] }
        : {}),
    };
  }

  #account(query: URLSearchParams): object {
    const withStreams = asks(query, ['streams', 'consumers']);
    return {
      name: accountName,
      id: accountName,
      ...(withStreams ? { stream_detail: this.#streams().map((stream) => this.#stream(stream, query)) } : {}),
    };
  }

  #stream(stream: Stream, query: URLSearchParams): object {
    const context = this.#broker.jetstream?.state.context;
    if (context === undefined) return {};
    const now = this.#broker.clock.now();
    const consumers = [...stream.consumers.values()];
    return {
      name: stream.config.name,
      created: timeText(context, stream.createdNs),
      ...(asks(query, ['config']) ? { config: stream.config } : {}),
      state: streamState(context, stream, plainState),
      ...(asks(query, ['consumers'])
        ? { consumer_detail: consumers.map((consumer) => consumerView(context, stream, consumer, now)) }
        : {}),
    };
  }

  connz(query: URLSearchParams): object {
    const connections = [...this.#broker.connections.values()];
    const withSubscriptions = ['1', 'true', 'detail'].includes(query.get('subs') ?? '');
    return {
      server_id: this.#broker.serverId,
      now: rfc3339(this.#broker.clock.epoch, this.#broker.clock.now()),
      num_connections: connections.length,
      total: connections.length,
      offset: 0,
      limit: connections.length,
      connections: connections.map((connection) => connectionView(connection, withSubscriptions)),
    };
  }

  healthz(): Health {
    return { status: 'ok' };
  }

  metrics(): readonly Metric[] {
    const { residentBytes, heapBytes, cpuSeconds } = this.#figures();
    const broker = this.#broker;
    const gauge = (name: string, help: string, samples: readonly MetricSample[]): Metric => ({
      name: `oncemark_${name}`,
      help,
      type: 'gauge',
      samples,
    });
    const counter = (name: string, help: string, value: number): Metric => ({
      name: `oncemark_${name}`,
      help,
      type: 'counter',
      samples: one(value),
    });
    return [
      gauge('resident_bytes', 'Resident memory of the process.', one(residentBytes)),
      gauge('heap_bytes', 'Live JavaScript heap and memory it holds outside.', one(heapBytes)),
      gauge('log_bytes', 'Memory held by log segments.', one(broker.log.heldBytes)),
      counter('cpu_seconds_total', 'Processor time of the process.', cpuSeconds),
      gauge('connections', 'Open client connections.', one(broker.connections.size)),
      gauge(
        'subscriptions',
        'Subscriptions of clients, streams and services.',
        one(broker.router.subscriptionCount),
      ),
      counter('messages_in_total', 'Messages received from clients.', broker.messagesIn),
      counter('messages_out_total', 'Messages sent to clients.', broker.router.messagesOut),
      counter(
        'slow_consumers_total',
        'Connections closed because they did not read.',
        broker.slowConsumerCount,
      ),
      gauge(
        'stream_messages',
        'Messages stored.',
        this.#each((stream) => stream.messageCount),
      ),
      gauge(
        'stream_bytes',
        'Bytes stored, as limits count them.',
        this.#each((stream) => stream.byteCount),
      ),
      gauge(
        'stream_last_sequence',
        'Last sequence given.',
        this.#each((stream) => stream.lastSequence),
      ),
      gauge(
        'dedup_entries',
        'Message ids remembered.',
        this.#each(({ dedup }) => dedup.entryCount),
      ),
      gauge(
        'dedup_bytes',
        'Bytes held for remembered message ids.',
        this.#each(({ dedup }) => dedup.accountedBytes),
      ),
      gauge(
        'dedup_window_seconds',
        'Duplicate window.',
        this.#each(({ dedup }) => dedup.windowNs / 1e9),
      ),
    ];
  }

  #each(value: (stream: Stream) => number): MetricSample[] {
    return this.#streams().map((stream) => ({
      labels: { stream: stream.config.name },
      value: value(stream),
    }));
  }
}

function one(value: number): MetricSample[] {
  return [{ labels: {}, value }];
}

function asks(query: URLSearchParams, names: readonly string[]): boolean {
  return names.some((name) => ['1', 'true'].includes(query.get(name) ?? ''));
}

function connectionView(connection: ClientConnection, withSubscriptions: boolean): object {
  const subscriptions = [...connection.subscriptions.values()];
  return {
    cid: connection.id,
    ip: connection.address,
    name: connection.name,
    ...connection.client,
    in_msgs: connection.messagesIn,
    in_bytes: connection.bytesIn,
    subscriptions: subscriptions.length,
    ...(withSubscriptions ? { subscriptions_list: subscriptions.map(({ pattern }) => pattern) } : {}),
  };
}
