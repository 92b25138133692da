import { describe, expect, it } from 'vitest';

import { apiError, type ApiErrorCode } from '../../../engine/base/api-errors.ts';
import { isFailure, type ApiFailure } from '../../../engine/core/api-failure.ts';
import {
  readStreamConfig,
  sameConfig,
  sealedConfig,
  updateFailure,
  type StreamConfig,
} from '../../../engine/core/stream-config.ts';

const limits = { maxDuplicateWindowNs: 0, strictJson: true };
const millisecond = 1e6;

function read(body: object, own = limits): StreamConfig | string {
  const config = readStreamConfig({ name: 'T', ...body }, 'T', own);
  return isFailure(config) ? told(config) : config;
}

function told({ code, detail }: ApiFailure): string {
  return `${code} ${apiError(code as ApiErrorCode, detail).text}`;
}

it('fills in defaults (A9)', () => {
  expect(read({})).toEqual({
    name: 'T',
    subjects: ['T'],
    retention: 'limits',
    max_consumers: -1,
    max_msgs: -1,
    max_bytes: -1,
    max_age: 0,
    max_msgs_per_subject: -1,
    max_msg_size: -1,
    discard: 'old',
    storage: 'file',
    num_replicas: 1,
    duplicate_window: 120_000 * millisecond,
    compression: 'none',
    sealed: false,
    deny_delete: false,
    deny_purge: false,
    allow_rollup_hdrs: false,
    allow_direct: false,
    mirror_direct: false,
    consumer_limits: {},
  });
});

describe('the duplicate window', () => {
  it.each([
    [{}, 0, 120_000],
    [{ duplicate_window: 0 }, 0, 120_000],
    [{ max_age: 1000 * millisecond }, 0, 1000],
    [{ max_age: 300_000 * millisecond }, 0, 120_000],
    [{}, 60_000, 60_000],
    [{ duplicate_window: 100 * millisecond }, 0, 100],
  ])('of %j with a server limit of %i ms is %i ms', (body, serverMilliseconds, expected) => {
    const config = read(body, { ...limits, maxDuplicateWindowNs: serverMilliseconds * millisecond });
    expect(config).toMatchObject({ duplicate_window: expected * millisecond });
  });
});

const refused: readonly [body: object, answer: string][] = [
  [{ name: 'U' }, '10056 stream name in subject does not match request'],
  [{ max_msgs: '5' }, '10025 invalid JSON: json: field "max_msgs" is not of type number'],
  [{ max_msgs: 1.5 }, '10025 invalid JSON: json: field "max_msgs" is not of type number'],
  [{ first_seq: -1 }, '10025 invalid JSON: json: field "first_seq" is not of type unsigned'],
  [{ subjects: 'a' }, '10025 invalid JSON: json: field "subjects" is not of type strings'],
  [{ metadata: { a: 1 } }, '10025 invalid JSON: json: field "metadata" is not of type map'],
  [{ retention: 'some' }, '10025 invalid JSON: json: cannot unmarshal "some"'],
  [{ discard: 'some' }, '10025 invalid JSON: json: cannot unmarshal "some"'],
  [{ storage: 'some' }, '10025 invalid JSON: json: cannot unmarshal "some"'],
  [{ compression: 'some' }, '10025 invalid JSON: json: cannot unmarshal "some"'],
  [{ num_replicas: -1 }, '10133 replicas count cannot be negative'],
  [{ num_replicas: 3 }, '10074 replicas > 1 not supported in non-clustered mode'],
  [{ num_replicas: 6 }, '10052 maximum replicas is 5'],
  [{ duplicate_window: 50 * millisecond }, '10052 duplicates window needs to be >= 100ms'],
  [{ duplicate_window: -1 }, '10052 duplicates window can not be negative'],
  [
    { max_age: 1000 * millisecond, duplicate_window: 2000 * millisecond },
    '10052 duplicates window can not be larger then max age',
  ],
  [{ max_age: 99 * millisecond }, '10052 max age needs to be >= 100ms'],
  [{ max_age: -1 }, '10052 max age can not be negative'],
  [{ subjects: ['a', 'a'] }, '10052 duplicate subjects detected'],
  [{ subjects: ['a.*', 'a.b'] }, '10052 subject "a.*" overlaps with "a.b"'],
  [{ subjects: ['a..b'] }, '10052 invalid subject'],
  [{ subjects: ['>'] }, '10052 capturing all subjects requires no-ack to be true'],
  [{ subjects: ['$JS.API.x'] }, '10052 subjects that overlap with jetstream api require no-ack to be true'],
  [{ subjects: ['$SYS.x'] }, '10052 subjects that overlap with system api require no-ack to be true'],
  [{ deny_purge: true, allow_rollup_hdrs: true }, '10052 roll-ups require the purge permission'],
  [{ discard_new_per_subject: true }, '10052 discard new per subject requires discard new policy to be set'],
  [
    { discard_new_per_subject: true, discard: 'new' },
    '10052 discard new per subject requires max msgs per subject > 0',
  ],
  [{ description: 'x'.repeat(4097) }, '10052 stream description is too long, maximum allowed is 4096'],
  [{ metadata: { a: 'x'.repeat(131_072) } }, '10052 stream metadata exceeds maximum size of 128 KB'],
  [{ mirror: { name: 'U' } }, '10052 mirror is not supported by this engine'],
];

it.each(refused)('refuses %j', (body, answer) => {
  expect(read(body)).toBe(answer);
});

it.each([
  [{ subjects: ['>'], no_ack: true }],
  [{ subjects: ['$JS.EVENT.ADVISORY.>'] }],
  [{ description: 'x'.repeat(4096) }],
  [{ metadata: { a: 'x'.repeat(131_071) } }],
  [{ discard_new_per_subject: true, discard: 'new', max_msgs_per_subject: 1 }],
  [{ mirror: null, sources: [], allow_msg_ttl: false }],
])('takes %j', (body) => {
  expect(read(body)).toMatchObject({ name: 'T' });
});

it('an unknown field is refused by name where the server is strict, and passed over where it is not (A49)', () => {
  expect(read({ max_mesages: 1 })).toBe('10025 invalid JSON: json: unknown field "max_mesages"');
  expect(read({ max_mesages: 1 }, { ...limits, strictJson: false })).not.toHaveProperty('max_mesages');
});

it('limits of 0 and below are none', () => {
  expect(read({ max_msgs: 0, max_bytes: -7, max_consumers: 3 })).toMatchObject({
    max_msgs: -1,
    max_bytes: -1,
    max_consumers: 3,
  });
});

it.each([
  [{}, { storage: 'memory' }, '10052 stream configuration update can not change storage type'],
  [
    {},
    { retention: 'workqueue' },
    '10052 stream configuration update can not change retention policy to/from workqueue',
  ],
  [{}, { max_consumers: 1 }, '10052 stream configuration update can not change MaxConsumers'],
  [{ sealed: true }, {}, '10052 stream configuration update can not unseal a sealed stream'],
  [{ deny_delete: true }, {}, '10052 stream configuration update can not cancel deny message deletes'],
  [{ deny_purge: true }, {}, '10052 stream configuration update can not cancel deny purge'],
  [{}, { retention: 'interest' }, null],
  [{}, { max_msgs: 1, subjects: ['x'], duplicate_window: 200 * millisecond }, null],
])('an update from %j to %j: %s', (from, to, answer) => {
  const failure = updateFailure(read(from) as StreamConfig, read(to) as StreamConfig);
  expect(failure === null ? null : told(failure)).toBe(answer);
});

it('sealing ends ageing and every removal', () => {
  const config = sealedConfig(read({ sealed: true, max_age: 1e9, allow_rollup_hdrs: true }) as StreamConfig);
  expect(config).toMatchObject({
    max_age: 0,
    discard: 'new',
    deny_delete: true,
    deny_purge: true,
    allow_rollup_hdrs: false,
  });
});

it('configurations are the same whatever the order of their fields', () => {
  expect(sameConfig({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1, e: undefined })).toBe(true);
  expect(sameConfig({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
  expect(sameConfig({ a: 1 }, { a: '1' })).toBe(false);
});
