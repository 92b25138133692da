import { expect, test } from 'vitest';
import { AttemptRows } from '../../workloads/attempt-rows.ts';
import { believedFlag, outcomes } from '../../workloads/publisher-ledger.ts';

test('rows stay what they were across chunks', () => {
  const rows = new AttemptRows();
  expect(rows.toArrays().sentNs.length).toBe(0);
  const count = 150_000;
  for (let row = 0; row < count; row += 1) rows.push(row + 5, row * 10);
  for (let row = 0; row < count; row += 3) rows.end(row, outcomes.stored, row + 1);
  rows.believe(65_536);
  rows.believe(65_535);

  const { outcomes: ends, sequences, sentNs, counters } = rows.toArrays();
  expect([rows.length, ends.length, sequences.length, sentNs.length, counters.length]).toEqual(
    Array(5).fill(count),
  );
  for (const row of [0, 65_534, 65_535, 65_536, 131_072, count - 1]) {
    const isEnded = row % 3 === 0;
    const isBelieved = row === 65_535 || row === 65_536;
    expect([counters[row], sentNs[row], sequences[row]]).toEqual([row + 5, row * 10, isEnded ? row + 1 : 0]);
    expect(ends[row]).toBe((isEnded ? outcomes.stored : outcomes.open) | (isBelieved ? believedFlag : 0));
  }
});
