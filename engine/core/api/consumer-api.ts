import { patternsOverlap } from '../../base/subject.ts';
import { failure, isFailure, type ApiFailure } from '../api-failure.ts';
import type { Consumer } from '../consumer.ts';
import {
  consumerUpdateFailure,
  filtersOf,
  readConsumerConfig,
  type ConsumerConfig,
} from '../consumer-config.ts';
import { countMatching, startConsumer } from '../consumer-start.ts';
import type { ApiRequest, ApiState } from './api-state.ts';
import { isObject, readFields, textField, type JsonObject } from '../json-fields.ts';
import type { Stream } from '../stream.ts';
import { sameConfig } from '../stream-config.ts';
import { detailsLimit, namesLimit, pageOf, readListRequest } from './paging.ts';
import { streamOf } from './stream-api.ts';
import { consumerView } from './views.ts';

interface CreateRequest {
  readonly config: JsonObject;
  readonly action: string;
}

function readCreate(state: ApiState, request: ApiRequest, streamName: string): CreateRequest | ApiFailure {
  const body = readFields(
    request.body,
    { stream_name: 'string', config: 'object', action: 'string', pedantic: 'boolean' },
    state.context.profile.strictJson,
  );
  if (isFailure(body)) return body as ApiFailure;
  const asked = body as JsonObject;
  if (textField(asked, 'stream_name', streamName) !== streamName) return failure(10056);
  const config = isObject(asked['config']) ? asked['config'] : {};
  return { config, action: textField(asked, 'action') };
}

/** CONSUMER.CREATE.S: an ephemeral of the old kind; it gets a name if it has none (spec 2.4). */
export function createEphemeral(state: ApiState, request: ApiRequest): object {
  const asked = readCreate(state, request, request.tokens[2] ?? '');
  if (isFailure(asked)) return asked;
  if (textField(asked.config, 'durable_name') !== '') return failure(10020);
  return create(state, request, 2, textField(asked.config, 'name') || state.context.nextName(), asked);
}

/** CONSUMER.DURABLE.CREATE.S.D (spec 2.4). */
export function createDurable(state: ApiState, request: ApiRequest): object {
  const asked = readCreate(state, request, request.tokens[3] ?? '');
  if (isFailure(asked)) return asked;
  const durable = textField(asked.config, 'durable_name');
  if (durable === '') return failure(10018);
  return durable === request.tokens[4] ? create(state, request, 3, durable, asked) : failure(10017);
}

/** CONSUMER.CREATE.S.C[.FILTER] (spec 2.4). */
export function createConsumer(state: ApiState, request: ApiRequest): object {
  const asked = readCreate(state, request, request.tokens[2] ?? '');
  if (isFailure(asked)) return asked;
  const name = request.tokens[3] ?? '';
  const durable = textField(asked.config, 'durable_name');
  if (durable !== '' && durable !== name) return failure(10017);
  const filter = request.tokens.slice(4).join('.');
  if (filter !== '') {
    const several = asked.config['filter_subjects'];
    if (Array.isArray(several) && several.length > 0) return failure(10137);
    if (filter !== textField(asked.config, 'filter_subject')) return failure(10131);
  }
  return create(state, request, 2, name, asked);
}

function create(
  state: ApiState,
  request: ApiRequest,
  streamToken: number,
  name: string,
  asked: CreateRequest,
): object {
  const stream = streamOf(state, request, streamToken);
  if (isFailure(stream)) return stream;
  const { limits, profile } = state.context;
  const config = readConsumerConfig(asked.config, name, stream.config, {
    maxAckPending: limits.maxAckPending,
    maxRequestBatch: limits.maxRequestBatch,
    strictJson: profile.strictJson,
  });
  if (isFailure(config)) return config;
  stream.enter(state.nowNs);
  const existing = stream.consumers.get(name);
  if (existing !== undefined) return revise(state, stream, existing, config, asked.action);
  if (asked.action === 'update') return failure(10149);
  const wrong = admission(stream, config, null);
  if (wrong !== null) return wrong;
  const consumer = stream.addConsumer(state.nextConsumerId, config, state.nowNs);
  state.registerConsumer(consumer);
  startConsumer(stream, consumer, state.context.epoch);
  adviseConsumer(state, stream, name, 'CREATED', 'create');
  return consumerView(state.context, stream, consumer, state.nowNs);
}

function adviseConsumer(
  state: ApiState,
  stream: Stream,
  consumer: string,
  event: string,
  action: string,
): void {
  state.context.advise({
    subject: `CONSUMER.${event}.${stream.config.name}.${consumer}`,
    type: 'consumer_action',
    fields: { stream: stream.config.name, consumer, action },
  });
}

function revise(
  state: ApiState,
  stream: Stream,
  consumer: Consumer,
  config: ConsumerConfig,
  action: string,
): object {
  if (!sameConfig(consumer.config, config)) {
    if (action === 'create') return failure(10148);
    const wrong = consumerUpdateFailure(consumer.config, config) ?? admission(stream, config, consumer);
    if (wrong !== null) return wrong;
    const filtersChanged = !sameConfig([...filtersOf(consumer.config)], [...filtersOf(config)]);
    consumer.reconfigure(config);
    if (filtersChanged) {
      consumer.recount((sequence) => countMatching(stream, consumer, sequence));
      stream.sweep();
    }
    state.generation += 1;
  }
  return consumerView(state.context, stream, consumer, state.nowNs);
}

// Work queues hand each message to one consumer, so filters must not meet (case C64).
function admission(stream: Stream, config: ConsumerConfig, self: Consumer | null): ApiFailure | null {
  const { max_consumers: countMax, retention } = stream.config;
  if (self === null && countMax > 0 && stream.consumers.size >= countMax) return failure(10026);
  if (retention !== 'workqueue') return null;
  const filters = filtersOf(config);
  for (const other of stream.consumers.values()) {
    if (other === self) continue;
    const others = filtersOf(other.config);
    if (filters.length === 0 || others.length === 0) return failure(10099);
    if (filters.some((left) => others.some((right) => patternsOverlap(left, right)))) return failure(10100);
  }
  return null;
}

function consumerOf(
  state: ApiState,
  request: ApiRequest,
): { stream: Stream; consumer: Consumer } | ApiFailure {
  const stream = streamOf(state, request, 2);
  if (isFailure(stream)) return stream as ApiFailure;
  const consumer = (stream as Stream).consumers.get(request.tokens[3] ?? '');
  return consumer === undefined ? failure(10014) : { stream: stream as Stream, consumer };
}

export function consumerInfo(state: ApiState, request: ApiRequest): object {
  const found = consumerOf(state, request);
  if (isFailure(found)) return found;
  return {
    ...consumerView(state.context, found.stream, found.consumer, state.nowNs),
    num_waiting: state.waitingCount(found.consumer),
  };
}

export function deleteConsumer(state: ApiState, request: ApiRequest): object {
  const found = consumerOf(state, request);
  if (isFailure(found)) return found;
  found.stream.enter(state.nowNs);
  state.deleteConsumer(found.stream, found.consumer);
  adviseConsumer(state, found.stream, found.consumer.config.name, 'DELETED', 'delete');
  return { success: true };
}

function consumersAsked(
  state: ApiState,
  request: ApiRequest,
): { stream: Stream; body: JsonObject; consumers: Consumer[] } | ApiFailure {
  const stream = streamOf(state, request, 2);
  if (isFailure(stream)) return stream as ApiFailure;
  const body = readListRequest(request.body, state.context.profile.strictJson);
  if (isFailure(body)) return body as ApiFailure;
  const consumers = [...(stream as Stream).consumers.values()].sort((left, right) =>
    left.config.name < right.config.name ? -1 : 1,
  );
  return { stream: stream as Stream, body: body as JsonObject, consumers };
}

export function nameConsumers(state: ApiState, request: ApiRequest): object {
  const asked = consumersAsked(state, request);
  if (isFailure(asked)) return asked;
  const { page, items } = pageOf(
    asked.consumers.map(({ config }) => config.name),
    asked.body,
    namesLimit,
  );
  return { ...page, consumers: items };
}

export function listConsumers(state: ApiState, request: ApiRequest): object {
  const asked = consumersAsked(state, request);
  if (isFailure(asked)) return asked;
  const { page, items } = pageOf(asked.consumers, asked.body, detailsLimit);
  return {
    ...page,
    consumers: items.map((consumer) => consumerView(state.context, asked.stream, consumer, state.nowNs)),
  };
}
