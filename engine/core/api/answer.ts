// The JetStream API: which subject is which call, and the envelope around every answer (spec 2.1 to 2.3).

import { apiError } from '../../base/api-errors.ts';
import { failure, isFailure, type ApiFailure } from '../api-failure.ts';
import type { ApiRequest, ApiState } from './api-state.ts';
import { accountInfo } from './account-api.ts';
import {
  createConsumer,
  createDurable,
  createEphemeral,
  consumerInfo,
  deleteConsumer,
  listConsumers,
  nameConsumers,
} from './consumer-api.ts';
import { deleteMessage, getMessage } from './message-api.ts';
import {
  createStream,
  deleteStream,
  listStreams,
  nameStreams,
  purgeStream,
  streamInfo,
  updateStream,
} from './stream-api.ts';

type Handler = (state: ApiState, request: ApiRequest) => object | ApiFailure;

interface Endpoint {
  /** Tokens of the subject; `*` is any one token, a final `>` any number of them. */
  readonly pattern: readonly string[];
  readonly type: string;
  /** Changes state, so it goes through the log. */
  readonly writes: boolean;
  readonly handler: Handler;
  /** Fields that stand beside an error too: clients read them first. */
  readonly always: object;
}

const unavailable: Handler = () => failure(10010);

const emptyPage = { total: 0, offset: 0, limit: 0 };
const noConsumers = { ...emptyPage, consumers: [] };

const endpoints: readonly Endpoint[] = [
  endpoint('INFO', 'account_info', false, accountInfo),
  endpoint('STREAM.CREATE.*', 'stream_create', true, createStream),
  endpoint('STREAM.UPDATE.*', 'stream_update', true, updateStream),
  endpoint('STREAM.DELETE.*', 'stream_delete', true, deleteStream),
  endpoint('STREAM.PURGE.*', 'stream_purge', true, purgeStream),
  endpoint('STREAM.INFO.*', 'stream_info', false, streamInfo, emptyPage),
  endpoint('STREAM.NAMES', 'stream_names', false, nameStreams),
  endpoint('STREAM.LIST', 'stream_list', false, listStreams),
  endpoint('STREAM.MSG.GET.*', 'stream_msg_get', false, getMessage),
  endpoint('STREAM.MSG.DELETE.*', 'stream_msg_delete', true, deleteMessage),
  endpoint('STREAM.LEADER.STEPDOWN.*', 'stream_leader_stepdown', false, unavailable),
  endpoint('STREAM.PEER.REMOVE.*', 'stream_remove_peer', false, unavailable),
  endpoint('CONSUMER.CREATE.*', 'consumer_create', true, createEphemeral),
  endpoint('CONSUMER.DURABLE.CREATE.*.*', 'consumer_create', true, createDurable),
  endpoint('CONSUMER.CREATE.*.*', 'consumer_create', true, createConsumer),
  endpoint('CONSUMER.CREATE.*.*.>', 'consumer_create', true, createConsumer),
  endpoint('CONSUMER.DELETE.*.*', 'consumer_delete', true, deleteConsumer),
  endpoint('CONSUMER.INFO.*.*', 'consumer_info', false, consumerInfo),
  endpoint('CONSUMER.NAMES.*', 'consumer_names', false, nameConsumers, noConsumers),
  endpoint('CONSUMER.LIST.*', 'consumer_list', false, listConsumers, noConsumers),
  endpoint('CONSUMER.LEADER.STEPDOWN.*.*', 'consumer_leader_stepdown', false, unavailable),
  endpoint('META.LEADER.STEPDOWN', 'meta_leader_stepdown', false, unavailable),
];

function endpoint(
  pattern: string,
  type: string,
  writes: boolean,
  handler: Handler,
  always: object = {},
): Endpoint {
  return { pattern: pattern.split('.'), type, writes, handler, always };
}

/** Whether there is such a call. None of the releases says a word to others. */
export function isApiCall(subject: string): boolean {
  return find(subject.split('.')) !== undefined;
}

/** Whether a call must go through the log. `subject` is what follows `$JS.API.` */
export function apiWrites(subject: string): boolean {
  return find(subject.split('.'))?.writes ?? false;
}

/** Carries out a call and gives the whole answer, envelope included. Failures are answers too. */
export function answerApi(state: ApiState, subject: string, body: Uint8Array): object {
  const tokens = subject.split('.');
  const called = find(tokens);
  const result = called === undefined ? failure(10003) : called.handler(state, { tokens, body });
  const type = `io.nats.jetstream.api.v1.${called?.type ?? 'system'}_response`;
  if (!isFailure(result)) return { type, ...result };
  const { status, text } = apiError(result.code, result.detail);
  return { type, error: { code: status, err_code: result.code, description: text }, ...called?.always };
}

function find(tokens: readonly string[]): Endpoint | undefined {
  return endpoints.find(({ pattern }) => matches(pattern, tokens));
}

function matches(pattern: readonly string[], tokens: readonly string[]): boolean {
  const open = pattern.at(-1) === '>';
  if (open ? tokens.length < pattern.length : tokens.length !== pattern.length) return false;
  return pattern.every((token, index) => token === '*' || token === '>' || token === tokens[index]);
}
