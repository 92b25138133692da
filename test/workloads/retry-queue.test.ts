import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RetryQueue } from '../../workloads/retry-queue.ts';

describe('retry queue', () => {
  test('gives retries by due moment, like a sorted list', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(50), { freq: 3 }), { maxLength: 300 }), (steps) => {
        const queue = new RetryQueue();
        const sorted: number[] = [];
        const taken = { dueNs: 0, counter: 0, attemptOfId: 0, firstDueNs: 0, firstSentNs: 0 };
        steps.forEach((dueNs, step) => {
          if (dueNs === null) {
            expect(queue.dueNs).toBe(sorted[0] ?? Infinity);
            expect(queue.pop(taken)).toBe(sorted.length > 0);
            const expected = sorted.shift();
            if (expected === undefined) return;
            expect(taken.dueNs).toBe(expected);
            expect(steps[taken.counter]).toBe(expected); // the rest of the entry moved with it
            expect([taken.attemptOfId, taken.firstDueNs, taken.firstSentNs]).toEqual([
              1,
              expected + 1,
              expected + 2,
            ]);
            return;
          }
          queue.push({ dueNs, counter: step, attemptOfId: 1, firstDueNs: dueNs + 1, firstSentNs: dueNs + 2 });
          sorted.push(dueNs);
          sorted.sort((left, right) => left - right);
        });
        expect(queue.length).toBe(sorted.length);
      }),
      { numRuns: 200 },
    );
  });
});
