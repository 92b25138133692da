import { expect, test } from 'vitest';
import { float64Column, uint8Column } from '../../workloads/column.ts';

test('a column grows by chunks and becomes one array', () => {
  const column = float64Column();
  column.set(0, 1.5);
  column.set(65_535, 2.5);
  column.set(200_000, 3.5); // chunks between are made too
  expect([column.get(0), column.get(1), column.get(65_535), column.get(200_000), column.get(9e6)]).toEqual([
    1.5, 0, 2.5, 3.5, 0,
  ]);
  const array = column.toArray(200_001);
  expect([array.length, array[65_535], array[200_000]]).toEqual([200_001, 2.5, 3.5]);
  expect([...column.toArray(2)]).toEqual([1.5, 0]);
  expect(uint8Column().toArray(3)).toEqual(new Uint8Array(3));
});
