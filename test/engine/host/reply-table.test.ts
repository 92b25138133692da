import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import { ReplyTable } from '../../../engine/host/reply-table.ts';

function replies(table: ReplyTable, count: number): string[] {
  return Array.from({ length: count }, (_, row) => latin1Text(table.bytes, table.start(row), table.end(row)));
}

it('keeps the reply of each row; rows in between have none', () => {
  const table = new ReplyTable();
  table.add(0, latin1Bytes('<a>'), 1, 2, undefined);
  table.add(3, latin1Bytes('bc'), 0, 2, undefined);
  expect(replies(table, 6)).toEqual(['a', '', '', 'bc', '', '']);
  table.clear();
  expect(replies(table, 4)).toEqual(['', '', '', '']);
});

it('is an array of texts, however long and however many', () => {
  const row = fc.tuple(
    fc.integer({ min: 0, max: 30 }),
    fc.oneof(fc.constantFrom('', 'r', 'x'.repeat(9000)), fc.string({ unit: fc.constantFrom('a', '.') })),
  );
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 120 }), { minLength: 1, maxLength: 3 }), (batches) => {
      const table = new ReplyTable();
      for (const batch of batches) {
        const expected: string[] = [];
        for (const [skipped, reply] of batch) {
          expected.push(...Array<string>(skipped).fill(''), reply);
          table.add(expected.length - 1, latin1Bytes(reply), 0, reply.length, undefined);
        }
        expect(replies(table, expected.length + 2)).toEqual([...expected, '', '']);
        table.clear();
      }
    }),
    { numRuns: 30 },
  );
});
