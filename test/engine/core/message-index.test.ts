import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { MessageIndex, slotOf } from '../../../engine/core/message-index.ts';

function put(index: MessageIndex, sequence: number): void {
  const chunk = index.append(sequence);
  chunk.segment[slotOf(sequence)] = 1;
  chunk.storedNs[slotOf(sequence)] = sequence * 10;
  chunk.liveCount += 1;
}

it('knows which sequences are stored, and the next one behind a gap', () => {
  const index = new MessageIndex();
  for (const sequence of [1, 2, 5000, 20_000]) put(index, sequence);
  expect([index.has(2), index.has(3), index.has(0), index.has(1e9)]).toEqual([true, false, false, false]);
  expect([index.nextStored(1, 20_000), index.nextStored(3, 20_000), index.nextStored(3, 4999)]).toEqual([
    1, 5000, 0,
  ]);
  expect(index.storedNs(5000)).toBe(50_000);
  index.remove(5000);
  expect([index.has(5000), index.nextStored(3, 20_000)]).toEqual([false, 20_000]);
  expect(() => index.storedNs(5000)).toThrow('a stored message has an index entry');
});

it('gives a chunk back when its last message goes, before or after the next chunk was begun', () => {
  const index = new MessageIndex();
  put(index, 4095);
  index.remove(4095); // still the newest chunk: it stays, for the sequences to come
  expect(index.chunk(4095)).toBeDefined();
  put(index, 4096);
  expect(index.chunk(4095)).toBeUndefined();
  put(index, 8192);
  expect(index.chunk(4096)).toBeDefined();
  index.remove(4096);
  expect(index.chunk(4096)).toBeUndefined();
});

it('is an array with gaps', () => {
  const move = fc.tuple(
    fc.constantFrom('append', 'append', 'skip', 'remove', 'look'),
    fc.integer({ min: 1, max: 6000 }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.array(move, { maxLength: 60 }), (start, moves) => {
      const index = new MessageIndex();
      const stored: number[] = [];
      let last = start;
      for (const [kind, value] of moves) {
        const chosen = stored[value % Math.max(1, stored.length)];
        if (kind === 'append') {
          last += 1;
          put(index, last);
          stored.push(last);
        } else if (kind === 'skip') last += value;
        else if (kind === 'remove' && chosen !== undefined) {
          index.remove(chosen);
          stored.splice(stored.indexOf(chosen), 1);
        }
        const from = Math.max(0, last - value);
        expect(index.nextStored(from, last)).toBe(stored.find((sequence) => sequence >= from) ?? 0);
        expect(index.has(from)).toBe(stored.includes(from));
      }
      for (const sequence of stored) expect(index.storedNs(sequence)).toBe(sequence * 10);
    }),
    { numRuns: 100 },
  );
});
