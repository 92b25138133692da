import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactLanes, FifoLanes } from '../../../runners/wire/reply-lanes.ts';
import type { ReplyLanes } from '../../../runners/wire/reply-lanes.ts';

test('a lane leads from a reply back to the attempt that it answers', () => {
  const lanes = new ExactLanes();
  const first = lanes.open(7, 0);
  const second = lanes.open(8, 0);
  expect(lanes.close(second)).toBe(8);
  expect(lanes.close(first)).toBe(7);
  expect(lanes.openCount).toBe(0);
});

describe('exact lanes', () => {
  test('the lane freed last is used first, so that few subjects are used', () => {
    const lanes = new ExactLanes();
    const used = new Set<number>();
    for (let attempt = 0; attempt < 1000; attempt += 1) {
      const lane = lanes.open(attempt, attempt);
      used.add(lane);
      lanes.close(lane);
    }
    expect(used.size).toBe(1);
  });

  test('a lane that was given up is never used again, so that a late reply misleads nobody', () => {
    const lanes = new ExactLanes();
    const late = lanes.open(1, 0);
    const expired: number[] = [];
    lanes.expire(10, (attempt) => expired.push(attempt));
    expect(expired).toEqual([1]);
    expect(lanes.open(2, 20)).not.toBe(late);
    expect(lanes.close(late)).toBe(-1);
  });

  test('an attempt sent at the very limit is not given up', () => {
    const lanes = new ExactLanes();
    lanes.open(1, 10);
    lanes.expire(10, () => expect.unreachable());
    expect(lanes.openCount).toBe(1);
  });

  test('when all are open or given up there is none', () => {
    const lanes = new ExactLanes(2);
    lanes.open(1, 0);
    lanes.open(2, 0);
    expect(lanes.open(3, 0)).toBe(-1);
    lanes.expire(1, () => {});
    expect(lanes.open(3, 0)).toBe(-1);
  });

  test('a lane nobody opened answers nothing', () => {
    expect(new ExactLanes().close(99_999)).toBe(-1);
  });
});

describe('shared lanes', () => {
  test('a lane answers in the order in which it was asked', () => {
    const lanes = new FifoLanes(2, 4);
    expect([0, 1, 2, 3].map((attempt) => lanes.open(attempt, 0))).toEqual([0, 1, 0, 1]);
    expect([lanes.close(1), lanes.close(0), lanes.close(0), lanes.close(1)]).toEqual([1, 0, 2, 3]);
    expect(lanes.close(0)).toBe(-1);
  });

  test('a sequence that falls within a lane is out of turn', () => {
    const lanes = new FifoLanes(2, 8);
    expect(lanes.isInTurn(0, 5)).toBe(true);
    expect(lanes.isInTurn(1, 4)).toBe(true);
    expect(lanes.isInTurn(0, 3)).toBe(false);
  });

  test('one attempt given up takes its lane with it, the other lanes go on', () => {
    const lanes = new FifoLanes(2, 4);
    lanes.open(0, 0);
    lanes.open(1, 50);
    lanes.open(2, 50);
    const expired: number[] = [];
    lanes.expire(10, (attempt) => expired.push(attempt));
    expect(expired).toEqual([0, 2]);
    expect(lanes.close(0)).toBe(-1);
    expect(lanes.open(3, 60)).toBe(1);
    expect(lanes.openCount).toBe(2);
  });
});

test('both kinds find the attempt that a plain map finds, as long as lanes answer in order', () => {
  const kinds: (() => ReplyLanes)[] = [() => new ExactLanes(64), () => new FifoLanes(4, 64)];
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.array(fc.boolean(), { maxLength: 200 }), (make, steps) => {
      const lanes = make();
      const queues = new Map<number, number[]>();
      let attempt = 0;
      let open: number[] = [];
      for (const isOpening of steps) {
        const lane = isOpening && open.length < 60 ? lanes.open(attempt, attempt) : (open[0] ?? -1);
        if (isOpening && open.length < 60) {
          queues.set(lane, [...(queues.get(lane) ?? []), attempt]);
          open.push(lane);
          attempt += 1;
        } else if (lane >= 0) {
          expect(lanes.close(lane)).toBe(queues.get(lane)?.shift());
          open = open.slice(1);
        }
      }
      expect(lanes.openCount).toBe(open.length);
    }),
    { numRuns: 200 },
  );
});
