import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { CoreEngine } from '../../support/core-engine.ts';

it('counts messages, bytes and subjects, and keeps its sequences over removals', () => {
  const engine = new CoreEngine();
  const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory', first_seq: 10 });
  expect([stream.firstSequence, stream.lastSequence]).toEqual([10, 9]);
  for (const subject of ['t.a', 't.b', 't.a']) engine.publish(stream, subject, 'four');
  expect([stream.firstSequence, stream.lastSequence, stream.byteCount]).toEqual([10, 12, 3 * (3 + 4 + 16)]);
  expect(stream.remove(10)).toBe(true);
  expect(stream.remove(10)).toBe(false);
  expect([stream.firstSequence, stream.messageCount, stream.subjects.size]).toEqual([11, 2, 2]);
  expect(stream.purgeBelow(99)).toBe(2);
  expect([stream.firstSequence, stream.lastSequence, stream.byteCount, stream.firstStoredNs]).toEqual([
    13, 12, 0, -1,
  ]);
});

it('finds the first message not older than a moment', () => {
  const engine = new CoreEngine();
  const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
  const times = fc.array(fc.nat(20), { maxLength: 30 });
  fc.assert(
    fc.property(times, fc.array(fc.nat(40)), fc.nat(30), (steps, removed, ago) => {
      const start = stream.lastSequence + 1;
      const stored: { sequence: number; atNs: number }[] = [];
      for (const step of steps) {
        engine.nowNs += step;
        stored.push({ sequence: engine.publish(stream, 't.a', '').sequence, atNs: engine.nowNs });
      }
      for (const index of removed) stream.remove(start + index);
      const kept = stored.filter(({ sequence }) => stream.has(sequence));
      const sinceNs = engine.nowNs - ago;
      expect(stream.firstSince(sinceNs)).toBe(kept.find(({ atNs }) => atNs >= sinceNs)?.sequence ?? 0);
      stream.purgeBelow(stream.lastSequence + 1);
    }),
  );
});

it('knows the first and last message of every subject, whatever is removed in between', () => {
  const move = fc.tuple(
    fc.constantFrom('store', 'store', 'remove'),
    fc.constantFrom('t.a', 't.b'),
    fc.nat(30),
  );
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
      const engine = new CoreEngine();
      const stream = engine.createStream({ name: 'T', subjects: ['t.>'], storage: 'memory' });
      const stored: { sequence: number; subject: string }[] = [];
      for (const [kind, subject, choice] of moves) {
        if (kind === 'store') {
          stored.push({ sequence: engine.publish(stream, subject, '').sequence, subject });
        } else {
          const [gone] = stored.splice(choice % Math.max(1, stored.length), 1);
          expect(stream.remove(gone?.sequence ?? 0)).toBe(gone !== undefined);
        }
        for (const name of ['t.a', 't.b']) {
          const own = stored.filter((message) => message.subject === name).map(({ sequence }) => sequence);
          const id = stream.subjects.find(name);
          const { firstSequence, lastSequence, messageCount } = stream.subjects;
          const seen = id < 0 ? [] : [messageCount[id], firstSequence[id], lastSequence[id]];
          expect(seen).toEqual(own.length === 0 ? [] : [own.length, own[0], own.at(-1)]);
        }
      }
    }),
    { numRuns: 100 },
  );
});
