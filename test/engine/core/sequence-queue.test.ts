import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { SequenceQueue } from '../../../engine/core/sequence-queue.ts';

it('gives back in the order it was given', () => {
  const queue = new SequenceQueue();
  queue.push(7);
  queue.push(3);
  expect([queue.length, queue.peek(), queue.shift(), queue.shift()]).toEqual([2, 7, 7, 3]);
  expect([queue.length, queue.peek(), queue.shift()]).toEqual([0, 0, 0]);
});

it('is an array, across growth and wrapping', () => {
  // A positive number pushes so many, a negative one takes so many.
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -90, max: 100 }), { maxLength: 30 }), (moves) => {
      const queue = new SequenceQueue();
      const array: number[] = [];
      let next = 1;
      for (const move of moves) {
        for (let left = Math.abs(move); left > 0; left -= 1) {
          if (move > 0) {
            queue.push(next);
            array.push(next);
            next += 1;
          } else expect(queue.shift()).toBe(array.shift() ?? 0);
        }
        expect([queue.length, queue.peek()]).toEqual([array.length, array[0] ?? 0]);
      }
    }),
  );
});
