import { expect, it } from 'vitest';

import { apiError, type ApiErrorCode } from '../../../engine/base/api-errors.ts';
import { isFailure, type ApiFailure } from '../../../engine/core/api-failure.ts';
import {
  consumerUpdateFailure,
  filtersOf,
  readConsumerConfig,
  type ConsumerConfig,
} from '../../../engine/core/consumer-config.ts';
import { readStreamConfig, type StreamConfig } from '../../../engine/core/stream-config.ts';

const limits = { maxAckPending: 0, maxRequestBatch: 0, strictJson: true };
const second = 1e9;

function streamOf(body: object): StreamConfig {
  return readStreamConfig({ name: 'T', ...body }, 'T', {
    maxDuplicateWindowNs: 0,
    strictJson: true,
  }) as StreamConfig;
}

function read(
  body: object,
  stream: object = {},
  own: Partial<typeof limits> = {},
  name = 'c',
): ConsumerConfig | string {
  const config = readConsumerConfig({ ack_policy: 'explicit', ...body }, name, streamOf(stream), {
    ...limits,
    ...own,
  });
  return isFailure(config) ? told(config) : config;
}

function told({ code, detail }: ApiFailure): string {
  return `${code} ${apiError(code as ApiErrorCode, detail).text}`;
}

it('fills in defaults (C105)', () => {
  expect(read({ durable_name: 'c' })).toEqual({
    durable_name: 'c',
    name: 'c',
    deliver_policy: 'all',
    ack_policy: 'explicit',
    ack_wait: 30 * second,
    max_deliver: -1,
    replay_policy: 'instant',
    max_waiting: 512,
    max_ack_pending: 1000,
    num_replicas: 0,
  });
});

it.each([
  [
    'without acks there is nothing to wait for',
    { ack_policy: 'none' },
    {},
    { max_deliver: -1 },
    ['ack_wait', 'max_ack_pending'],
  ],
  ['an ephemeral one ends after five seconds', {}, {}, { inactive_threshold: 5 * second }, []],
  [
    'unless the stream says otherwise',
    {},
    { consumer_limits: { inactive_threshold: 9 * second } },
    { inactive_threshold: 9 * second },
    [],
  ],
  ['the first backoff is the ack wait (C30)', { backoff: [1, 2], ack_wait: 99 }, {}, { ack_wait: 1 }, []],
  [
    'the stream limits what waits for acks',
    {},
    { consumer_limits: { max_ack_pending: 7 } },
    { max_ack_pending: 7 },
    [],
  ],
  [
    '-1 is unlimited',
    { max_ack_pending: -1, max_deliver: -5 },
    {},
    { max_ack_pending: -1, max_deliver: -1 },
    [],
  ],
])('%s', (_, body, stream, expected, absent) => {
  const config = read(body, stream);
  expect(config).toMatchObject(expected);
  for (const field of absent) expect(config).not.toHaveProperty(field);
});

const refused: readonly [body: object, stream: object, answer: string][] = [
  [
    { durable_name: 'c', name: 'd' },
    {},
    '10132 Consumer Durable and Name have to be equal if both are provided',
  ],
  [{ deliver_policy: 'some' }, {}, '10025 invalid JSON: json: cannot unmarshal "some"'],
  [{ ack_policy: 'some' }, {}, '10025 invalid JSON: json: cannot unmarshal "some"'],
  [{ replay_policy: 'some' }, {}, '10025 invalid JSON: json: cannot unmarshal "some"'],
  [{ opt_start_seq: 1.5 }, {}, '10025 invalid JSON: json: field "opt_start_seq" is not of type unsigned'],
  [
    { deliver_policy: 'by_start_time', opt_start_time: 'noon' },
    {},
    '10025 invalid JSON: json: field "opt_start_time" is not of type time',
  ],
  [{ backoff: [1.5] }, {}, '10025 invalid JSON: json: field "backoff" is not of type numbers'],
  [{ ack_wait: -1 }, {}, '10183 consumer ack wait needs to be positive'],
  [{ backoff: [1, -1] }, {}, '10184 consumer backoff needs to be positive'],
  [
    { backoff: [1, 2, 3], max_deliver: 2 },
    {},
    '10116 max deliver is required to be > length of backoff values',
  ],
  [{ max_expires: 999_999 }, {}, '10115 consumer max request expires needs to be >= 1ms'],
  [
    { deliver_policy: 'by_start_sequence' },
    {},
    '10094 consumer delivery policy is deliver by start sequence, but optional start sequence is not set',
  ],
  [
    { deliver_policy: 'by_start_time' },
    {},
    '10094 consumer delivery policy is deliver by start time, but optional start time is not set',
  ],
  [
    { deliver_policy: 'last', opt_start_seq: 1 },
    {},
    '10094 consumer delivery policy is deliver last, but optional start sequence is also set',
  ],
  [
    { deliver_policy: 'last_per_subject' },
    {},
    '10094 consumer delivery policy is deliver last per subject, but optional filter subject is not set',
  ],
  [
    { filter_subject: 'a', filter_subjects: ['b'] },
    {},
    '10136 consumer cannot have both FilterSubject and FilterSubjects specified',
  ],
  [{ filter_subjects: ['a', ''] }, {}, '10139 consumer filter in FilterSubjects cannot be empty'],
  [{ filter_subjects: ['a.>', 'a.b'] }, {}, '10138 consumer subject filters cannot overlap'],
  [{ filter_subject: 'a..b' }, {}, '10012 consumer filter subject is not valid'],
  [{ num_replicas: 3 }, {}, '10074 replicas > 1 not supported in non-clustered mode'],
  [
    { max_ack_pending: 8 },
    { consumer_limits: { max_ack_pending: 7 } },
    '10121 consumer max ack pending exceeds system limit of 7',
  ],
  [
    { max_ack_pending: -1 },
    { consumer_limits: { max_ack_pending: 7 } },
    '10121 consumer max ack pending exceeds system limit of 7',
  ],
  [
    { inactive_threshold: 8 },
    { consumer_limits: { inactive_threshold: 7 } },
    '10153 consumer inactive threshold exceeds system limit of 7',
  ],
  [
    { ack_policy: 'none' },
    { retention: 'workqueue' },
    '10084 consumer in pull mode requires explicit ack policy on workqueue stream',
  ],
  [{ ack_policy: 'all' }, { retention: 'workqueue' }, '10098 workqueue stream requires explicit ack'],
  [
    { deliver_policy: 'new' },
    { retention: 'workqueue' },
    '10101 consumer must be deliver all on workqueue stream',
  ],
  [{ idle_heartbeat: 1 }, {}, '10088 consumer idle heartbeat requires a push based consumer'],
  [{ flow_control: true }, {}, '10089 consumer flow control requires a push based consumer'],
  [{ rate_limit_bps: 1 }, {}, '10086 consumer in pull mode can not have rate limit set'],
  [{ deliver_subject: 'x' }, {}, '10012 deliver_subject is not supported by this engine'],
  [{ description: 'x'.repeat(4097) }, {}, '10107 consumer description is too long, maximum allowed is 4096'],
  [{ metadata: { a: 'x'.repeat(131_072) } }, {}, '10135 consumer metadata exceeds maximum size of 128 KB'],
];

it.each(refused)('refuses %j on a stream with %j', (body, stream, answer) => {
  expect(read(body, stream)).toBe(answer);
});

it.each([
  ['a.b', "10052 consumer name can not contain '.', '*', '>', path separators or white space"],
  ['a b', "10052 consumer name can not contain '.', '*', '>', path separators or white space"],
  ['a/b', '10127 Consumer name can not contain path separators'],
  ['x'.repeat(256), '10102 consumer name is too long, maximum allowed is 255'],
])('refuses the name %s', (name, answer) => {
  expect(read({}, {}, {}, name)).toBe(answer);
});

it('the server limits what a consumer may ask for', () => {
  expect(read({ max_batch: 6 }, {}, { maxRequestBatch: 5 })).toBe(
    '10125 consumer max request batch exceeds server limit of 5',
  );
  expect(read({ max_ack_pending: 6 }, {}, { maxAckPending: 5 })).toBe(
    '10121 consumer max ack pending exceeds system limit of 5',
  );
  expect(read({}, {}, { maxAckPending: 5 })).toMatchObject({ max_ack_pending: 5 });
});

it('filters are one, several or none', () => {
  expect(filtersOf(read({ filter_subject: 'a' }) as ConsumerConfig)).toEqual(['a']);
  expect(filtersOf(read({ filter_subjects: ['a', 'b'] }) as ConsumerConfig)).toEqual(['a', 'b']);
  expect(filtersOf(read({}) as ConsumerConfig)).toEqual([]);
});

it.each([
  [{ deliver_policy: 'new' }, 'deliver policy can not be updated'],
  [{ ack_policy: 'all' }, 'ack policy can not be updated'],
  [{ replay_policy: 'original' }, 'replay policy can not be updated'],
  [{ max_waiting: 1 }, 'max waiting can not be updated'],
  [
    { ack_wait: 1, max_deliver: 3, filter_subject: 'a', max_ack_pending: 2, backoff: [1], description: 'x' },
    null,
  ],
])('an update to %j: %s', (to, answer) => {
  expect(consumerUpdateFailure(read({}) as ConsumerConfig, read(to) as ConsumerConfig)?.detail ?? null).toBe(
    answer,
  );
});
