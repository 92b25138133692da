import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { latin1Bytes } from '../../../engine/base/bytes.ts';
import { SubjectTable } from '../../../engine/core/subject-table.ts';

function intern(table: SubjectTable, name: string): number {
  const bytes = latin1Bytes(`<${name}>`);
  return table.intern(bytes, 1, bytes.length - 1);
}

function add(table: SubjectTable, name: string): number {
  const id = intern(table, name);
  table.messageCount[id] = (table.messageCount[id] as number) + 1;
  return id;
}

it('gives each subject a number, and takes it back with the last message', () => {
  const table = new SubjectTable();
  const orders = add(table, 'orders.new');
  add(table, 'orders.old');
  expect(add(table, 'orders.new')).toBe(orders);
  expect([table.size, table.name(orders), table.find('orders.new')]).toEqual([2, 'orders.new', orders]);
  expect(table.find('orders')).toBe(-1);
  table.release(orders, 5, 9);
  expect([table.firstSequence[orders], table.lastSequence[orders]]).toEqual([5, 9]);
  table.release(orders, 0, 0);
  expect([table.size, table.find('orders.new')]).toEqual([1, -1]);
  expect(() => table.name(orders)).toThrow('a subject number in use has a name');
  expect(() => table.release(orders, 0, 0)).toThrow('a subject has no fewer than zero messages');
  expect(add(table, 'another')).toBe(orders);
});

it('is a Map from name to count', () => {
  const name = fc.oneof(
    fc.integer({ min: 0, max: 60 }).map((n) => `s.${n}`),
    fc.constantFrom('', 'a', 'ab', 'ba', '\u00ff', '\u00ff\u00ff'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), name), { maxLength: 400, size: 'max' }), (steps) => {
      const table = new SubjectTable();
      const counts = new Map<string, number>();
      for (const [isRelease, subject] of steps) {
        const count = counts.get(subject) ?? 0;
        if (!isRelease) {
          add(table, subject);
          counts.set(subject, count + 1);
        } else if (count > 0) {
          table.release(table.find(subject), 0, 0);
          if (count === 1) counts.delete(subject);
          else counts.set(subject, count - 1);
        }
        expect(table.find(subject) >= 0).toBe(counts.has(subject));
      }
      const held = [...table.ids()].map((id) => [table.name(id), table.messageCount[id]] as const);
      expect(new Map(held)).toEqual(counts);
      expect(table.size).toBe(counts.size);
      for (const [subject] of counts) expect(table.name(table.find(subject))).toBe(subject);
    }),
    { numRuns: 60 },
  );
});
