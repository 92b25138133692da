import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { PendingTable } from '../../../engine/core/pending-table.ts';

it('keeps deliveries in order, and those that wait by when they fall due', () => {
  const table = new PendingTable();
  const first = table.add(10, 1);
  const second = table.add(11, 2);
  table.wait(first, 1, 1000);
  table.wait(second, 1, 1005);
  expect(table.count).toBe(2);
  expect(table.oldest()).toBe(first);
  expect(table.after(first)).toBe(second);
  expect(table.find(11)).toBe(second);
  expect(table.find(12)).toBe(-1);
  expect(table.nextDueNs([50])).toBe(1050);
  expect(table.takeDue([50], 1049)).toEqual([]);
  expect(table.takeDue([50], 1050)).toEqual([first]);
  expect(table.isWaiting(first)).toBe(false);
  table.remove(first);
  expect(table.find(10)).toBe(-1);
  expect(table.oldest()).toBe(second);
});

it('takes what is due in stream order, whatever waited longer', () => {
  const table = new PendingTable();
  table.waitUntil(table.add(3, 1), 5);
  table.waitUntil(table.add(1, 2), 9);
  table.wait(table.add(2, 3), 1, 0);
  const due = table.takeDue([7], 9).map((row) => table.sequence[row]);
  expect(due).toEqual([1, 2, 3]);
});

it('is only moved from list 1 on: list 0 is for delays', () => {
  const table = new PendingTable();
  const row = table.add(1, 1);
  expect(() => table.wait(row, 0, 0)).toThrow('list 0 is for delays');
});

interface Entry {
  readonly sequence: number;
  readonly consumerSequence: number;
  deliveries: number;
  dueNs: number | null;
}

/** An array in the order of first delivery. */
class DumbTable {
  entries: Entry[] = [];

  find(sequence: number): Entry | undefined {
    return this.entries.find((entry) => entry.sequence === sequence);
  }

  nextDueNs(): number {
    return Math.min(
      Number.POSITIVE_INFINITY,
      ...this.entries.map(({ dueNs }) => dueNs ?? Number.POSITIVE_INFINITY),
    );
  }

  takeDue(nowNs: number): number[] {
    const due = this.entries.filter(({ dueNs }) => dueNs !== null && dueNs <= nowNs);
    for (const entry of due) entry.dueNs = null;
    return due.map(({ sequence }) => sequence).sort((left, right) => left - right);
  }
}

const waitsNs = [10, 25, 7];

type Step = readonly [
  kind: 'add' | 'remove' | 'wait' | 'waitUntil' | 'stop' | 'again' | 'pass',
  value: number,
  list: number,
];

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('add', 'add', 'remove', 'wait', 'wait', 'waitUntil', 'stop', 'again', 'pass'),
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 1, max: 4 }),
);

/** Sequences that share their home in the hash, and some far beyond 32 bits. */
const sequenceOf = [(n: number) => n + 1, (n: number) => n * 65_536 + 1, (n: number) => 2 ** 40 + n];

describe.each([0, 1, 2])('against an array, sequences of kind %i', (kind) => {
  const toSequence = sequenceOf[kind] as (n: number) => number;

  it('finds, orders and takes the same', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
        const table = new PendingTable();
        const dumb = new DumbTable();
        let nowNs = 0;
        let consumerSequence = 0;
        const act = ([what, value, list]: Step): void => {
          const sequence = toSequence(value);
          const row = table.find(sequence);
          const entry = dumb.find(sequence);
          expect(row >= 0).toBe(entry !== undefined);
          if (what === 'pass') {
            nowNs += value;
            const taken = table.takeDue(waitsNs, nowNs).map((due) => table.sequence[due]);
            expect(taken).toEqual(dumb.takeDue(nowNs));
          } else if (entry === undefined) {
            if (what !== 'add') return;
            consumerSequence += 1;
            table.add(sequence, consumerSequence);
            dumb.entries.push({ sequence, consumerSequence, deliveries: 1, dueNs: null });
          } else if (what === 'remove') {
            table.remove(row);
            dumb.entries = dumb.entries.filter((other) => other !== entry);
          } else if (what === 'wait') {
            table.wait(row, list, nowNs);
            entry.dueNs = nowNs + (waitsNs[Math.min(list, waitsNs.length) - 1] as number);
          } else if (what === 'waitUntil') {
            table.waitUntil(row, nowNs + value);
            entry.dueNs = nowNs + value;
          } else if (what === 'stop') {
            table.stopWaiting(row);
            entry.dueNs = null;
          } else if (what === 'again') {
            entry.deliveries += 1;
            expect(table.countRedelivery(row)).toBe(entry.deliveries);
          }
        };
        for (const one of steps) {
          act(one);
          compare(table, dumb);
        }
      }),
      { numRuns: 60 },
    );
  });
});

function compare(table: PendingTable, dumb: DumbTable): void {
  const rows: object[] = [];
  for (let row = table.oldest(); row >= 0; row = table.after(row)) {
    rows.push({
      sequence: table.sequence[row],
      consumerSequence: table.firstConsumerSequence[row],
      deliveries: table.deliveryCount[row],
      isWaiting: table.isWaiting(row),
    });
  }
  const expected = dumb.entries.map(({ sequence, consumerSequence, deliveries, dueNs }) => ({
    sequence,
    consumerSequence,
    deliveries,
    isWaiting: dueNs !== null,
  }));
  expect(rows).toEqual(expected);
  expect(table.count).toBe(dumb.entries.length);
  expect(table.redeliveredCount).toBe(dumb.entries.filter(({ deliveries }) => deliveries > 1).length);
  expect(table.nextDueNs(waitsNs)).toBe(dumb.nextDueNs());
}
