import { expect, test } from 'vitest';
import { metricSum } from '../../../runners/targets/probes.ts';

const text = `# HELP oncemark_heap_bytes Live heap.
# TYPE oncemark_heap_bytes gauge
oncemark_heap_bytes 123456
oncemark_dedup_entries{stream="A"} 10
oncemark_dedup_entries{stream="B with } and space"} 5
oncemark_dedup_entries_max{stream="A"} 99
`;

test('a metric is the sum over its label sets', () => {
  expect(metricSum(text, 'oncemark_heap_bytes')).toBe(123_456);
  expect(metricSum(text, 'oncemark_dedup_entries')).toBe(15);
  expect(metricSum(text, 'oncemark_dedup_bytes')).toBeNull();
});
