// What a stream may be configured to (spec 3). Field names, defaults and error texts are JetStream's.

import { isValidSubject, patternsOverlap } from '../base/subject.ts';
import { failure, type ApiFailure } from './api-failure.ts';
import {
  checkFields,
  flagField,
  isObject,
  numberField,
  textField,
  textsField,
  type FieldType,
  type JsonObject,
} from './json-fields.ts';

interface ConsumerLimits {
  readonly inactive_threshold?: number;
  readonly max_ack_pending?: number;
}

/** A stream's configuration after defaults; durations in nanoseconds, -1 means unlimited. */
export interface StreamConfig {
  readonly name: string;
  readonly description?: string;
  readonly subjects: readonly string[];
  readonly retention: 'limits' | 'interest' | 'workqueue';
  readonly max_consumers: number;
  readonly max_msgs: number;
  readonly max_bytes: number;
  readonly max_age: number;
  readonly max_msgs_per_subject: number;
  readonly max_msg_size: number;
  readonly discard: 'old' | 'new';
  readonly storage: 'file' | 'memory';
  readonly num_replicas: number;
  readonly no_ack?: boolean;
  readonly duplicate_window: number;
  readonly compression: 'none' | 's2';
  readonly sealed: boolean;
  readonly deny_delete: boolean;
  readonly deny_purge: boolean;
  readonly allow_rollup_hdrs: boolean;
  readonly allow_direct: boolean;
  readonly mirror_direct: boolean;
  readonly discard_new_per_subject?: boolean;
  readonly first_seq?: number;
  readonly consumer_limits: ConsumerLimits;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Bounds that the server sets. */
export interface StreamLimits {
  readonly maxDuplicateWindowNs: number; // 0: none
  readonly strictJson: boolean;
}

const minute = 60e9;
const millisecond = 1e6;
const defaultWindowNs = 2 * minute;
const descriptionBytesMax = 4096;
const metadataBytesMax = 131_072;

const fields: Readonly<Record<string, FieldType>> = {
  name: 'string',
  description: 'string',
  subjects: 'strings',
  retention: 'string',
  max_consumers: 'number',
  max_msgs: 'number',
  max_bytes: 'number',
  max_age: 'number',
  max_msgs_per_subject: 'number',
  max_msg_size: 'number',
  discard: 'string',
  storage: 'string',
  num_replicas: 'number',
  no_ack: 'boolean',
  template_owner: 'string',
  duplicate_window: 'number',
  placement: 'object',
  mirror: 'object',
  sources: 'objects',
  compression: 'string',
  subject_transform: 'object',
  republish: 'object',
  sealed: 'boolean',
  deny_delete: 'boolean',
  deny_purge: 'boolean',
  allow_rollup_hdrs: 'boolean',
  allow_direct: 'boolean',
  mirror_direct: 'boolean',
  discard_new_per_subject: 'boolean',
  first_seq: 'unsigned',
  consumer_limits: 'object',
  metadata: 'map',
  pedantic: 'boolean',
  allow_msg_ttl: 'boolean',
  subject_delete_marker_ttl: 'number',
  allow_msg_counter: 'boolean',
  allow_atomic: 'boolean',
  allow_batched: 'boolean',
  allow_msg_schedules: 'boolean',
  persist_mode: 'string',
};

/** Features of real servers that this engine does not have: refused by name, never ignored. */
const unsupported = [
  'mirror',
  'sources',
  'subject_transform',
  'republish',
  'allow_msg_ttl',
  'subject_delete_marker_ttl',
  'allow_msg_counter',
  'allow_atomic',
  'allow_batched',
  'allow_msg_schedules',
];

/** A request body as configuration, defaults filled in and rules checked; the name comes from the subject. */
export function readStreamConfig(
  body: JsonObject,
  subjectName: string,
  limits: StreamLimits,
): StreamConfig | ApiFailure {
  const wrong =
    checkFields(body, fields, limits.strictJson) ?? checkName(body, subjectName) ?? checkSupported(body);
  if (wrong !== null) return wrong;
  const config = withDefaults(body, limits);
  return checkConfig(config, limits) ?? config;
}

function checkName(body: JsonObject, subjectName: string): ApiFailure | null {
  const name = textField(body, 'name', subjectName);
  if (/[\\/]/.test(subjectName)) return failure(10128);
  if (name !== subjectName) return failure(10056);
  return nameFailure(name, 'stream');
}

/** Asset names: spec 1.3. */
export function nameFailure(name: string, asset: 'stream' | 'consumer'): ApiFailure | null {
  if (name === '') return failure(10052, `${asset} name is required`);
  if (/[\s.*>]/.test(name)) {
    return failure(10052, `${asset} name can not contain '.', '*', '>', path separators or white space`);
  }
  if (name.length <= 255) return null;
  return asset === 'stream'
    ? failure(10052, 'stream name is too long, maximum allowed is 255')
    : failure(10102, '255');
}

function checkSupported(body: JsonObject): ApiFailure | null {
  for (const name of unsupported) {
    const value = body[name];
    if (value === undefined || value === null || value === false || value === 0) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    return failure(10052, `${name} is not supported by this engine`);
  }
  return null;
}

function withDefaults(body: JsonObject, limits: StreamLimits): StreamConfig {
  const unlimited = (name: string): number => {
    const value = numberField(body, name, -1);
    return value <= 0 ? -1 : value;
  };
  const maxAge = numberField(body, 'max_age', 0);
  const subjects = textsField(body, 'subjects');
  const description = textField(body, 'description');
  const firstSequence = numberField(body, 'first_seq', 0);
  const metadata = body['metadata'];
  return {
    name: textField(body, 'name'),
    ...(description === '' ? {} : { description }),
    subjects: subjects.length === 0 ? [textField(body, 'name')] : subjects,
    retention: textField(body, 'retention', 'limits') as StreamConfig['retention'],
    max_consumers: unlimited('max_consumers'),
    max_msgs: unlimited('max_msgs'),
    max_bytes: unlimited('max_bytes'),
    max_age: maxAge,
    max_msgs_per_subject: unlimited('max_msgs_per_subject'),
    max_msg_size: unlimited('max_msg_size'),
    discard: textField(body, 'discard', 'old') as StreamConfig['discard'],
    storage: textField(body, 'storage', 'file') as StreamConfig['storage'],
    num_replicas: numberField(body, 'num_replicas', 1) || 1,
    ...(flagField(body, 'no_ack') ? { no_ack: true } : {}),
    duplicate_window: windowOf(body, maxAge, limits),
    compression: (textField(body, 'compression') || 'none') as StreamConfig['compression'],
    sealed: flagField(body, 'sealed'),
    deny_delete: flagField(body, 'deny_delete'),
    deny_purge: flagField(body, 'deny_purge'),
    allow_rollup_hdrs: flagField(body, 'allow_rollup_hdrs'),
    allow_direct: flagField(body, 'allow_direct'),
    mirror_direct: flagField(body, 'mirror_direct'),
    ...(flagField(body, 'discard_new_per_subject') ? { discard_new_per_subject: true } : {}),
    ...(firstSequence > 1 ? { first_seq: firstSequence } : {}),
    consumer_limits: isObject(body['consumer_limits']) ? (body['consumer_limits'] as ConsumerLimits) : {},
    ...(isObject(metadata) ? { metadata: metadata as Record<string, string> } : {}),
  };
}

// 0 means "default": a normal stream cannot switch deduplication off (case C04).
function windowOf(body: JsonObject, maxAge: number, limits: StreamLimits): number {
  const asked = numberField(body, 'duplicate_window', 0);
  if (asked !== 0) return asked;
  let window = defaultWindowNs;
  if (limits.maxDuplicateWindowNs > 0) window = Math.min(window, limits.maxDuplicateWindowNs);
  return maxAge > 0 ? Math.min(window, maxAge) : window;
}

function checkConfig(config: StreamConfig, limits: StreamLimits): ApiFailure | null {
  return (
    checkChoices(config) ??
    checkSizes(config) ??
    checkSubjects(config) ??
    checkAges(config, limits) ??
    checkDiscard(config)
  );
}

function checkChoices(config: StreamConfig): ApiFailure | null {
  if (!['limits', 'interest', 'workqueue'].includes(config.retention)) {
    return failure(10025, `json: cannot unmarshal "${config.retention}"`);
  }
  if (!['old', 'new'].includes(config.discard)) {
    return failure(10025, `json: cannot unmarshal "${config.discard}"`);
  }
  if (!['file', 'memory'].includes(config.storage)) {
    return failure(10025, `json: cannot unmarshal "${config.storage}"`);
  }
  if (!['none', 's2'].includes(config.compression)) {
    return failure(10025, `json: cannot unmarshal "${config.compression}"`);
  }
  if (config.num_replicas < 0) return failure(10133);
  if (config.num_replicas > 5) return failure(10052, 'maximum replicas is 5');
  return config.num_replicas > 1 ? failure(10074) : null;
}

function checkSizes(config: StreamConfig): ApiFailure | null {
  if ((config.description ?? '').length > descriptionBytesMax) {
    return failure(10052, `stream description is too long, maximum allowed is ${descriptionBytesMax}`);
  }
  const metadataBytes = Object.entries(config.metadata ?? {}).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    0,
  );
  if (metadataBytes <= metadataBytesMax) return null;
  return failure(10052, 'stream metadata exceeds maximum size of 128 KB');
}

// Streams on the server's own subjects would answer their own acks, so they may not acknowledge (spec 3, subjects).
function reservedFailure(subject: string): ApiFailure | null {
  if (subject === '>') return failure(10052, 'capturing all subjects requires no-ack to be true');
  if (subject.startsWith('$JS.EVENT.') || subject.startsWith('$SYS.ACCOUNT.')) return null;
  const reserved = ['$JS.>', '$JSC.>', '$NRG.>'].some((pattern) => patternsOverlap(subject, pattern));
  if (reserved) return failure(10052, 'subjects that overlap with jetstream api require no-ack to be true');
  if (!patternsOverlap(subject, '$SYS.>')) return null;
  return failure(10052, 'subjects that overlap with system api require no-ack to be true');
}

function checkSubjects({ subjects, no_ack: noAck = false }: StreamConfig): ApiFailure | null {
  for (const [index, subject] of subjects.entries()) {
    if (!isValidSubject(subject, true)) return failure(10052, 'invalid subject');
    const reserved = noAck ? null : reservedFailure(subject);
    if (reserved !== null) return reserved;
    for (const other of subjects.slice(0, index)) {
      if (other === subject) return failure(10052, 'duplicate subjects detected');
      if (patternsOverlap(other, subject)) {
        return failure(10052, `subject "${other}" overlaps with "${subject}"`);
      }
    }
  }
  return null;
}

function checkAges(config: StreamConfig, limits: StreamLimits): ApiFailure | null {
  const { max_age: maxAge, duplicate_window: windowNs } = config;
  if (maxAge < 0) return failure(10052, 'max age can not be negative');
  if (maxAge !== 0 && maxAge < 100 * millisecond) return failure(10052, 'max age needs to be >= 100ms');
  if (windowNs < 0) return failure(10052, 'duplicates window can not be negative');
  if (maxAge !== 0 && windowNs > maxAge) {
    return failure(10052, 'duplicates window can not be larger then max age');
  }
  if (limits.maxDuplicateWindowNs > 0 && windowNs > limits.maxDuplicateWindowNs) {
    return failure(10052, 'duplicates window can not be larger then server limit');
  }
  if (windowNs < 100 * millisecond) return failure(10052, 'duplicates window needs to be >= 100ms');
  return null;
}

function checkDiscard(config: StreamConfig): ApiFailure | null {
  if (config.deny_purge && config.allow_rollup_hdrs) {
    return failure(10052, 'roll-ups require the purge permission');
  }
  if (config.discard_new_per_subject !== true) return null;
  if (config.discard !== 'new') {
    return failure(10052, 'discard new per subject requires discard new policy to be set');
  }
  return config.max_msgs_per_subject > 0
    ? null
    : failure(10052, 'discard new per subject requires max msgs per subject > 0');
}

/** The configuration an update leads to, or why it may not (spec 3, update rules). */
export function updateFailure(from: StreamConfig, to: StreamConfig): ApiFailure | null {
  if (from.storage !== to.storage) {
    return failure(10052, 'stream configuration update can not change storage type');
  }
  if (from.retention !== to.retention && [from.retention, to.retention].includes('workqueue')) {
    return failure(10052, 'stream configuration update can not change retention policy to/from workqueue');
  }
  if (from.max_consumers !== to.max_consumers) {
    return failure(10052, 'stream configuration update can not change MaxConsumers');
  }
  if (from.sealed && !to.sealed) {
    return failure(10052, 'stream configuration update can not unseal a sealed stream');
  }
  if (from.deny_delete && !to.deny_delete) {
    return failure(10052, 'stream configuration update can not cancel deny message deletes');
  }
  if (from.deny_purge && !to.deny_purge) {
    return failure(10052, 'stream configuration update can not cancel deny purge');
  }
  return null;
}

/** Sealing by update also ends ageing and fixes what is there (spec 3, `sealed`). */
export function sealedConfig(config: StreamConfig): StreamConfig {
  if (!config.sealed) return config;
  return {
    ...config,
    max_age: 0,
    discard: 'new',
    deny_delete: true,
    deny_purge: true,
    allow_rollup_hdrs: false,
  };
}

/** Whether two configurations are the same one (spec 2.3, STREAM.CREATE again). */
export function sameConfig(left: object, right: object): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([name, field]) => `${name}:${canonical(field)}`).join(',')}}`;
}
