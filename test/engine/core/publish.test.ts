// The order of a publish's checks (spec 4.3): with two things wrong, the one named first is told.

import { describe, expect, it } from 'vitest';

import { outcome } from '../../../engine/core/outcomes.ts';
import type { ProfileName } from '../../../engine/core/profile.ts';
import type { Stream } from '../../../engine/core/stream.ts';
import { CoreEngine } from '../../support/core-engine.ts';

const id = 'Nats-Msg-Id: known';
const wrong = {
  stream: 'Nats-Expected-Stream: X',
  ttl: 'Nats-TTL: 5s',
  lastOnSubject: 'Nats-Expected-Last-Subject-Sequence: 9',
  subjectOnly: 'Nats-Expected-Last-Subject-Sequence-Subject: t.b',
  last: 'Nats-Expected-Last-Sequence: 9',
  lastId: 'Nats-Expected-Last-Msg-Id: other',
  rollup: 'Nats-Rollup: sub',
} as const;

function open(profile: ProfileName, config: object = {}): { engine: CoreEngine; stream: Stream } {
  const engine = new CoreEngine({ profile });
  const stream = engine.createStream({
    name: 'T',
    subjects: ['t.>'],
    storage: 'memory',
    max_msgs: 1,
    discard: 'new',
    max_msg_size: 200,
    ...config,
  });
  engine.publish(stream, 't.a', 'x', [id]);
  return { engine, stream };
}

/** Each row is wrong in the first way and all that follow; the answer is that of the first. */
const rows: readonly [headers: readonly string[], payloadBytes: number, strict: number, nats: number][] = [
  [
    [id, wrong.stream, wrong.ttl, wrong.lastOnSubject, wrong.last, wrong.lastId, wrong.rollup],
    999,
    10060,
    10060,
  ],
  [[id, wrong.ttl, wrong.lastOnSubject, wrong.last, wrong.lastId, wrong.rollup], 999, 10166, 10166],
  [[id, wrong.lastOnSubject, wrong.last, wrong.lastId, wrong.rollup], 999, outcome.duplicate, 10071],
  [[id, wrong.subjectOnly, wrong.last], 999, outcome.duplicate, 10193],
  [[id, wrong.last, wrong.lastId, wrong.rollup], 999, outcome.duplicate, 10071],
  [[id, wrong.lastId, wrong.rollup], 999, outcome.duplicate, outcome.duplicate],
  [[id], 999, outcome.duplicate, outcome.duplicate],
  [[wrong.lastOnSubject, wrong.last, wrong.lastId, wrong.rollup], 999, 10071, 10071],
  [[wrong.last, wrong.lastId, wrong.rollup], 999, 10071, 10071],
  [[wrong.lastId, wrong.rollup], 999, 10070, 10070],
  [[wrong.rollup], 999, 10111, 10111],
  [[], 999, 10054, 10054],
  [[], 1, 10077, 10077],
];

describe.each(['strict', 'nats'] as const)('profile %s', (profile) => {
  it.each(rows)('%j with %i bytes', (headers, payloadBytes, strict, nats) => {
    const { engine, stream } = open(profile);
    const { code } = engine.publish(stream, 't.a', 'x'.repeat(payloadBytes), headers);
    expect(code).toBe(profile === 'strict' ? strict : nats);
    expect([stream.lastSequence, stream.dedup.entryCount]).toEqual([1, 1]);
  });

  it('a refused publish leaves no id behind', () => {
    const { engine, stream } = open(profile);
    const fresh = 'Nats-Msg-Id: fresh';
    expect(engine.publish(stream, 't.a', 'x', [fresh]).code).toBe(10077);
    engine.api('STREAM.PURGE.T');
    expect(engine.publish(stream, 't.a', 'x', [fresh])).toMatchObject({ code: outcome.stored, sequence: 2 });
  });

  it('an empty header value is no value', () => {
    const { engine, stream } = open(profile, { max_msgs: -1 });
    for (const header of Object.values(wrong)) {
      const name = header.slice(0, header.indexOf(':') + 1);
      expect(engine.publish(stream, 't.a', 'x', [name]).code, name).toBe(outcome.stored);
    }
  });
});

it('what does not parse as a sequence matches none', () => {
  const { engine, stream } = open('strict', { max_msgs: -1 });
  for (const value of ['1x', '-1', ' ', '0x1', '1.0', '10000000000000000000']) {
    const { code } = engine.publish(stream, 't.a', 'x', [`Nats-Expected-Last-Sequence: ${value}`]);
    expect([value, code]).toEqual([value, value === ' ' ? outcome.stored : 10071]);
    engine.api('STREAM.PURGE.T');
  }
});

it('a header block may have 65535 bytes, not one more', () => {
  const { engine, stream } = open('strict', { max_msgs: -1, max_msg_size: -1 });
  const fixedBytes = 'NATS/1.0\r\n\r\n'.length + 'A: \r\n'.length;
  expect(engine.publish(stream, 't.a', '', [`A: ${'x'.repeat(65_535 - fixedBytes)}`]).code).toBe(
    outcome.stored,
  );
  expect(engine.publish(stream, 't.a', '', [`A: ${'x'.repeat(65_536 - fixedBytes)}`]).code).toBe(10097);
});

it('a sealed stream takes nothing', () => {
  const { engine, stream } = open('strict');
  engine.api('STREAM.UPDATE.T', { name: 'T', subjects: ['t.>'], storage: 'memory', sealed: true });
  expect(engine.publish(stream, 't.a', 'x').code).toBe(10109);
});

it('a message that no consumer of an interest stream wants needs no room and purges nothing', () => {
  const engine = new CoreEngine();
  const stream = engine.createStream({
    name: 'T',
    subjects: ['t.>'],
    storage: 'memory',
    retention: 'interest',
    discard: 'new',
    max_msgs: 1,
    allow_rollup_hdrs: true,
  });
  engine.createConsumer(stream, { durable_name: 'c', ack_policy: 'explicit', filter_subject: 't.a' });
  expect(engine.publish(stream, 't.a', 'x').sequence).toBe(1);
  expect(engine.publish(stream, 't.b', 'x')).toMatchObject({ code: outcome.stored, sequence: 2 });
  expect(engine.publish(stream, 't.b', 'x', ['Nats-Rollup: all'])).toMatchObject({
    code: outcome.stored,
    sequence: 3,
  });
  expect([stream.messageCount, stream.firstSequence, stream.lastSequence]).toEqual([1, 1, 3]);
  expect(engine.publish(stream, 't.a', 'x').code).toBe(10077);
});

it('a full server refuses, whatever the stream would allow', () => {
  const engine = new CoreEngine({ limits: { maxMemoryBytes: 100 } });
  const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
  expect(engine.publish(stream, 't.a', 'x'.repeat(81)).code).toBe(outcome.stored); // 3 + 81 + 16
  expect(engine.publish(stream, 't.a', '').code).toBe(10023);
  engine.api('STREAM.PURGE.T');
  expect(engine.publish(stream, 't.a', '').code).toBe(outcome.stored);
});
