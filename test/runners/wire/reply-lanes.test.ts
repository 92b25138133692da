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

  function opened(laneCount: number, openMax: number): FifoLanes {
    const lanes = new FifoLanes(laneCount, openMax);
    for (let attempt = 0; attempt < openMax; attempt += 1) lanes.open(attempt, 0);
    return lanes;
  }

  function reply(lanes: FifoLanes, lane: number, sequence: number): [number, boolean] {
    const attempt = lanes.close(lane);
    return [attempt, lanes.isInTurn(attempt, sequence)];
  }

  test('replies come in the order of the sends', () => {
    const lanes = opened(2, 4);
    expect([0, 1, 0, 1].map((lane, index) => reply(lanes, lane, index + 1))).toEqual([
      [0, true],
      [1, true],
      [2, true],
      [3, true],
    ]);
  });

  test('after a reply that passes over an open attempt none is believed any more', () => {
    const lanes = opened(2, 4);
    expect(reply(lanes, 1, 2)).toEqual([1, false]); // where is that of attempt 0?
    expect([lanes.close(0), lanes.close(1), lanes.open(4, 0)]).toEqual([-1, -1, -1]);
    const expired: number[] = [];
    lanes.expire(1, (attempt) => expired.push(attempt));
    expect(expired).toEqual([0, 2, 3]);
  });

  test('an error may overtake: the attempt that it ended is passed over', () => {
    const lanes = opened(2, 4);
    lanes.close(1); // refused, so without a sequence
    expect(reply(lanes, 0, 1)).toEqual([0, true]);
    expect(reply(lanes, 0, 2)).toEqual([2, true]);
  });

  test('a sequence that falls is out of turn', () => {
    const lanes = opened(2, 4);
    expect(reply(lanes, 0, 5)[1]).toBe(true);
    expect(reply(lanes, 1, 4)[1]).toBe(false);
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
