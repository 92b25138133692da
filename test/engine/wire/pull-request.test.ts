import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latin1Bytes } from '../../../engine/base/bytes.ts';
import { parsePullRequest, pullRequestBody, type PullRequest } from '../../../engine/wire/pull-request.ts';

function parsed(text: string): ReturnType<typeof parsePullRequest> {
  const bytes = latin1Bytes(`<<${text}>>`);
  return parsePullRequest(bytes, 2, bytes.length - 2);
}

const one: PullRequest = {
  batch: 1,
  expiresNs: 0,
  noWait: false,
  maxBytes: 0,
  idleHeartbeatNs: 0,
  group: '',
  minPending: 0,
  minAckPending: 0,
  id: '',
  priority: 0,
};

describe('parsePullRequest (spec 6.5)', () => {
  test('reads every field', () => {
    const text =
      '{"batch":10,"expires":5000000000,"no_wait":true,"max_bytes":1024,"idle_heartbeat":500000000,' +
      '"group":"g","min_pending":3,"min_ack_pending":4,"id":"pin","priority":2}';
    expect(parsed(text)).toEqual({
      batch: 10,
      expiresNs: 5_000_000_000,
      noWait: true,
      maxBytes: 1024,
      idleHeartbeatNs: 500_000_000,
      group: 'g',
      minPending: 3,
      minAckPending: 4,
      id: 'pin',
      priority: 2,
    });
  });

  test.each([
    ['', 1],
    ['5', 5],
    [' 5\r\n', 5],
    ['0', 1],
    ['-3', 1],
    ['hello', 1],
    ['1.5', 1],
    ['{}', 1],
    ['{"batch":0}', 1],
    ['{"batch":-4}', 1],
    ['{"batch":null}', 1],
    ['{"batch":7,"unheard_of":[]}', 7],
  ])('%j asks for %i', (text, batch) => {
    expect(parsed(text)).toEqual({ ...one, batch });
  });

  test.each([
    ['{', 'invalid JSON'],
    ['{"batch":1', 'invalid JSON'],
    ['{"batch":"1"}', 'invalid JSON: batch is not an integer'],
    ['{"expires":1.5}', 'invalid JSON: expires is not an integer'],
    ['{"no_wait":1}', 'invalid JSON: no_wait is not a boolean'],
    ['{"group":1}', 'invalid JSON: group is not a string'],
    ['{"expires":1000,"idle_heartbeat":501}', 'heartbeat value too large'],
    ['{"idle_heartbeat":1}', 'heartbeat value too large'],
  ])('%j is a bad request', (text, badRequest) => {
    expect(parsed(text)).toEqual({ badRequest });
  });

  test('a heartbeat of exactly half of expires passes', () => {
    expect(parsed('{"expires":1000,"idle_heartbeat":500}')).toMatchObject({ idleHeartbeatNs: 500 });
  });
});

test('pullRequestBody sends what is asked for and no more', () => {
  const text = (request: Partial<PullRequest>): string => new TextDecoder().decode(pullRequestBody(request));
  expect(text({ batch: 10, expiresNs: 5e9 })).toBe('{"batch":10,"expires":5000000000}');
  expect(text({ batch: 1, noWait: true, group: '' })).toBe('{"batch":1,"no_wait":true}');
  expect(text({})).toBe('{}');
});

test('what pullRequestBody writes is what parsePullRequest reads', () => {
  const count = fc.nat();
  const requests = fc.record({
    batch: fc.integer({ min: 1, max: 1e6 }),
    expiresNs: fc.constant(1e12),
    noWait: fc.boolean(),
    maxBytes: count,
    idleHeartbeatNs: count,
    group: fc.string(),
    minPending: count,
    minAckPending: count,
    id: fc.string(),
    priority: fc.nat({ max: 9 }),
  });
  fc.assert(
    fc.property(requests, (request) => {
      const body = pullRequestBody(request);
      expect(parsePullRequest(body, 0, body.length)).toEqual(request);
    }),
    { numRuns: 100 },
  );
});
