// What a pull consumer may be configured to (spec 6.1, 6.2). Field names, defaults and error texts are JetStream's.

import { isValidSubject, patternsOverlap } from '../base/subject.ts';
import { failure, type ApiFailure } from './api-failure.ts';
import {
  checkFields,
  flagField,
  isObject,
  numberField,
  numbersField,
  textField,
  textsField,
  type FieldType,
  type JsonObject,
} from './json-fields.ts';
import { nameFailure, type StreamConfig } from './stream-config.ts';

export interface ConsumerConfig {
  readonly durable_name?: string;
  readonly name: string;
  readonly description?: string;
  readonly deliver_policy:
    | 'all'
    | 'last'
    | 'new'
    | 'by_start_sequence'
    | 'by_start_time'
    | 'last_per_subject';
  readonly opt_start_seq?: number;
  readonly opt_start_time?: string;
  readonly ack_policy: 'none' | 'all' | 'explicit';
  readonly ack_wait?: number;
  readonly max_deliver: number;
  readonly backoff?: readonly number[];
  readonly filter_subject?: string;
  readonly filter_subjects?: readonly string[];
  readonly replay_policy: 'instant' | 'original';
  readonly sample_freq?: string;
  readonly max_waiting: number;
  readonly max_ack_pending?: number;
  readonly headers_only?: boolean;
  readonly max_batch?: number;
  readonly max_expires?: number;
  readonly max_bytes?: number;
  readonly inactive_threshold?: number;
  readonly num_replicas: number;
  readonly mem_storage?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface ConsumerServerLimits {
  readonly maxAckPending: number; // 0: none
  readonly maxRequestBatch: number; // 0: none
  readonly strictJson: boolean;
}

const second = 1e9;
const metadataBytesMax = 131_072;

const fields: Readonly<Record<string, FieldType>> = {
  durable_name: 'string',
  name: 'string',
  description: 'string',
  deliver_policy: 'string',
  opt_start_seq: 'unsigned',
  opt_start_time: 'time',
  ack_policy: 'string',
  ack_wait: 'number',
  max_deliver: 'number',
  backoff: 'numbers',
  filter_subject: 'string',
  filter_subjects: 'strings',
  replay_policy: 'string',
  rate_limit_bps: 'number',
  sample_freq: 'string',
  max_waiting: 'number',
  max_ack_pending: 'number',
  flow_control: 'boolean',
  headers_only: 'boolean',
  max_batch: 'number',
  max_expires: 'number',
  max_bytes: 'number',
  deliver_subject: 'string',
  deliver_group: 'string',
  idle_heartbeat: 'number',
  inactive_threshold: 'number',
  num_replicas: 'number',
  mem_storage: 'boolean',
  direct: 'boolean',
  metadata: 'map',
  pause_until: 'string',
  priority_groups: 'strings',
  priority_policy: 'string',
  priority_timeout: 'number',
  sourcing: 'boolean',
};

const unsupported = [
  'deliver_subject',
  'deliver_group',
  'flow_control',
  'direct',
  'pause_until',
  'priority_groups',
];

/** The `config` of a create request as configuration, defaults filled in and rules checked. */
export function readConsumerConfig(
  body: JsonObject,
  name: string,
  stream: StreamConfig,
  limits: ConsumerServerLimits,
): ConsumerConfig | ApiFailure {
  const wrong =
    checkFields(body, fields, limits.strictJson) ?? checkNames(body, name) ?? checkSupported(body);
  if (wrong !== null) return wrong;
  const config = withDefaults(body, name, stream, limits);
  return checkConfig(body, config, stream, limits) ?? config;
}

function checkNames(body: JsonObject, name: string): ApiFailure | null {
  const durable = textField(body, 'durable_name');
  const given = textField(body, 'name');
  if (durable !== '' && given !== '' && durable !== given) return failure(10132);
  if (/[\\/]/.test(name)) return failure(10127);
  return nameFailure(name, 'consumer');
}

function checkSupported(body: JsonObject): ApiFailure | null {
  if (textField(body, 'deliver_subject') === '') {
    if (numberField(body, 'idle_heartbeat', 0) > 0) return failure(10088);
    if (flagField(body, 'flow_control')) return failure(10089);
    if (numberField(body, 'rate_limit_bps', 0) > 0) return failure(10086);
  }
  for (const name of unsupported) {
    const value = body[name];
    if (value === undefined || value === null || value === false || value === '') continue;
    if (Array.isArray(value) && value.length === 0) continue;
    return failure(10012, `${name} is not supported by this engine`);
  }
  return null;
}

function withDefaults(
  body: JsonObject,
  name: string,
  stream: StreamConfig,
  limits: ConsumerServerLimits,
): ConsumerConfig {
  const durable = textField(body, 'durable_name');
  const ackPolicy = textField(body, 'ack_policy', 'none') as ConsumerConfig['ack_policy'];
  const backoff = numbersField(body, 'backoff');
  const maxDeliver = numberField(body, 'max_deliver', -1);
  const filters = textsField(body, 'filter_subjects');
  const metadata = body['metadata'];
  const optional = <K extends keyof ConsumerConfig>(key: K, value: ConsumerConfig[K] | '' | 0 | false) =>
    value === '' || value === 0 || value === false ? {} : { [key]: value };
  return {
    ...optional('durable_name', durable),
    name,
    ...optional('description', textField(body, 'description')),
    deliver_policy: textField(body, 'deliver_policy', 'all') as ConsumerConfig['deliver_policy'],
    ...optional('opt_start_seq', numberField(body, 'opt_start_seq', 0)),
    ...optional('opt_start_time', textField(body, 'opt_start_time')),
    ack_policy: ackPolicy,
    ...optional('ack_wait', ackPolicy === 'none' ? 0 : ackWaitOf(body, backoff)),
    max_deliver: maxDeliver <= 0 ? -1 : maxDeliver,
    ...(backoff.length === 0 ? {} : { backoff }),
    ...optional('filter_subject', textField(body, 'filter_subject')),
    ...(filters.length === 0 ? {} : { filter_subjects: filters }),
    replay_policy: textField(body, 'replay_policy', 'instant') as ConsumerConfig['replay_policy'],
    ...optional('sample_freq', textField(body, 'sample_freq')),
    max_waiting: numberField(body, 'max_waiting', 0) || 512,
    ...optional('max_ack_pending', maxAckPendingOf(body, ackPolicy, stream, limits)),
    ...optional('headers_only', flagField(body, 'headers_only')),
    ...optional('max_batch', numberField(body, 'max_batch', 0)),
    ...optional('max_expires', numberField(body, 'max_expires', 0)),
    ...optional('max_bytes', numberField(body, 'max_bytes', 0)),
    ...optional('inactive_threshold', thresholdOf(body, durable, stream)),
    num_replicas: numberField(body, 'num_replicas', 0),
    ...optional('mem_storage', flagField(body, 'mem_storage')),
    ...(isObject(metadata) ? { metadata: metadata as Record<string, string> } : {}),
  } as ConsumerConfig;
}

// The first backoff replaces the ack wait (case C30).
function ackWaitOf(body: JsonObject, backoff: readonly number[]): number {
  return backoff[0] ?? (numberField(body, 'ack_wait', 0) || 30 * second);
}

function maxAckPendingOf(
  body: JsonObject,
  ackPolicy: ConsumerConfig['ack_policy'],
  stream: StreamConfig,
  limits: ConsumerServerLimits,
): number {
  const asked = numberField(body, 'max_ack_pending', 0);
  if (asked !== 0) return asked;
  const ofStream = stream.consumer_limits.max_ack_pending ?? 0;
  if (ofStream > 0 || ackPolicy === 'none') return ofStream;
  return limits.maxAckPending > 0 ? Math.min(1000, limits.maxAckPending) : 1000;
}

function thresholdOf(body: JsonObject, durable: string, stream: StreamConfig): number {
  const asked = numberField(body, 'inactive_threshold', 0);
  if (asked !== 0) return asked;
  return stream.consumer_limits.inactive_threshold ?? (durable === '' ? 5 * second : 0);
}

function checkConfig(
  body: JsonObject,
  config: ConsumerConfig,
  stream: StreamConfig,
  limits: ConsumerServerLimits,
): ApiFailure | null {
  return (
    checkChoices(config) ??
    checkTimes(body, config) ??
    checkStart(config) ??
    checkFilters(config) ??
    checkSizes(config, stream, limits) ??
    checkWorkQueue(config, stream)
  );
}

function checkChoices(config: ConsumerConfig): ApiFailure | null {
  const policies = ['all', 'last', 'new', 'by_start_sequence', 'by_start_time', 'last_per_subject'];
  if (!policies.includes(config.deliver_policy)) {
    return failure(10025, `json: cannot unmarshal "${config.deliver_policy}"`);
  }
  if (!['none', 'all', 'explicit'].includes(config.ack_policy)) {
    return failure(10025, `json: cannot unmarshal "${config.ack_policy}"`);
  }
  if (!['instant', 'original'].includes(config.replay_policy)) {
    return failure(10025, `json: cannot unmarshal "${config.replay_policy}"`);
  }
  return null;
}

function checkTimes(body: JsonObject, config: ConsumerConfig): ApiFailure | null {
  if (numberField(body, 'ack_wait', 0) < 0) return failure(10183);
  const backoff = config.backoff ?? [];
  if (backoff.some((wait) => wait < 0)) return failure(10184);
  if (config.max_deliver !== -1 && backoff.length > config.max_deliver) return failure(10116);
  const expires = config.max_expires ?? 0;
  return expires !== 0 && expires < 1e6 ? failure(10115) : null;
}

function checkStart(config: ConsumerConfig): ApiFailure | null {
  const { deliver_policy: policy, opt_start_seq: sequence, opt_start_time: time } = config;
  const named = policy.replaceAll('_', ' ');
  if (policy === 'by_start_sequence') {
    if (sequence === undefined) {
      return failure(
        10094,
        'consumer delivery policy is deliver by start sequence, but optional start sequence is not set',
      );
    }
    return time === undefined
      ? null
      : failure(
          10094,
          'consumer delivery policy is deliver by start sequence, but optional start time is also set',
        );
  }
  if (policy === 'by_start_time') {
    if (time === undefined) {
      return failure(
        10094,
        'consumer delivery policy is deliver by start time, but optional start time is not set',
      );
    }
    return sequence === undefined
      ? null
      : failure(
          10094,
          'consumer delivery policy is deliver by start time, but optional start sequence is also set',
        );
  }
  if (policy === 'last_per_subject' && filtersOf(config).length === 0) {
    return failure(
      10094,
      'consumer delivery policy is deliver last per subject, but optional filter subject is not set',
    );
  }
  if (sequence !== undefined) {
    return failure(
      10094,
      `consumer delivery policy is deliver ${named}, but optional start sequence is also set`,
    );
  }
  return time === undefined
    ? null
    : failure(10094, `consumer delivery policy is deliver ${named}, but optional start time is also set`);
}

/** The filters of a consumer, none for "everything". */
export function filtersOf(config: ConsumerConfig): readonly string[] {
  if (config.filter_subject !== undefined) return [config.filter_subject];
  return config.filter_subjects ?? [];
}

function checkFilters(config: ConsumerConfig): ApiFailure | null {
  const filters = config.filter_subjects ?? [];
  if (config.filter_subject !== undefined && filters.length > 0) return failure(10136);
  if (filters.includes('')) return failure(10139);
  for (const [index, filter] of filters.entries()) {
    if (filters.slice(0, index).some((other) => patternsOverlap(other, filter))) return failure(10138);
  }
  for (const filter of filtersOf(config)) {
    if (!isValidSubject(filter, true)) return failure(10012, 'consumer filter subject is not valid');
  }
  return null;
}

function checkSizes(
  config: ConsumerConfig,
  stream: StreamConfig,
  limits: ConsumerServerLimits,
): ApiFailure | null {
  if ((config.description ?? '').length > 4096) return failure(10107, '4096');
  const metadataBytes = Object.entries(config.metadata ?? {}).reduce(
    (sum, [key, value]) => sum + key.length + value.length,
    0,
  );
  if (metadataBytes > metadataBytesMax) return failure(10135, '128 KB');
  if (config.num_replicas > 1) return failure(10074);
  if (config.num_replicas > stream.num_replicas) return failure(10126);
  const pendingMax = stream.consumer_limits.max_ack_pending ?? limits.maxAckPending;
  const pending = config.max_ack_pending ?? 0;
  if (pendingMax > 0 && (pending > pendingMax || pending === -1)) return failure(10121, String(pendingMax));
  const thresholdMax = stream.consumer_limits.inactive_threshold ?? 0;
  if (thresholdMax > 0 && (config.inactive_threshold ?? 0) > thresholdMax) {
    return failure(10153, String(thresholdMax));
  }
  if (limits.maxRequestBatch > 0 && (config.max_batch ?? 0) > limits.maxRequestBatch) {
    return failure(10125, String(limits.maxRequestBatch));
  }
  return null;
}

function checkWorkQueue(config: ConsumerConfig, stream: StreamConfig): ApiFailure | null {
  if (stream.retention !== 'workqueue') return null;
  if (config.ack_policy === 'none') return failure(10084);
  if (config.ack_policy === 'all') return failure(10098);
  return config.deliver_policy === 'all' ? null : failure(10101);
}

const immutableFields = [
  ['deliver_policy', 'deliver policy'],
  ['opt_start_seq', 'start sequence'],
  ['opt_start_time', 'start time'],
  ['ack_policy', 'ack policy'],
  ['replay_policy', 'replay policy'],
  ['max_waiting', 'max waiting'],
] as const;

/** Why an update is refused, or null (spec 6.2). */
export function consumerUpdateFailure(from: ConsumerConfig, to: ConsumerConfig): ApiFailure | null {
  for (const [field, words] of immutableFields) {
    if (from[field] !== to[field]) return failure(10012, `${words} can not be updated`);
  }
  return null;
}
