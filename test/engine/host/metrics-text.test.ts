import { expect, test } from 'vitest';
import { metricsText } from '../../../engine/host/metrics-text.ts';

test('writes help, type and a line for each sample', () => {
  const text = metricsText([
    {
      name: 'oncemark_dedup_entries',
      help: 'Ids in the window.',
      type: 'gauge',
      samples: [
        { labels: { stream: 'ORDERS', kind: 'map' }, value: 12 },
        { labels: { stream: 'EVENTS', kind: 'map' }, value: 0.5 },
      ],
    },
    {
      name: 'oncemark_messages_total',
      help: 'Stored.',
      type: 'counter',
      samples: [{ labels: {}, value: 1e21 }],
    },
    { name: 'oncemark_nothing', help: 'None yet.', type: 'counter', samples: [] },
  ]);
  expect(text).toBe(
    [
      '# HELP oncemark_dedup_entries Ids in the window.',
      '# TYPE oncemark_dedup_entries gauge',
      'oncemark_dedup_entries{stream="ORDERS",kind="map"} 12',
      'oncemark_dedup_entries{stream="EVENTS",kind="map"} 0.5',
      '# HELP oncemark_messages_total Stored.',
      '# TYPE oncemark_messages_total counter',
      'oncemark_messages_total 1e+21',
      '# HELP oncemark_nothing None yet.',
      '# TYPE oncemark_nothing counter',
      '',
    ].join('\n'),
  );
});

test('escapes labels and help', () => {
  const samples = [{ labels: { name: 'a"b\\c\nd' }, value: 1 }];
  const text = metricsText([{ name: 'm', help: 'one\\two\nthree "four"', type: 'gauge', samples }]);
  expect(text).toBe('# HELP m one\\\\two\\nthree "four"\n# TYPE m gauge\nm{name="a\\"b\\\\c\\nd"} 1\n');
});

test.each([
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [Number.NaN, 'NaN'],
])('writes %d as %s', (value, expected) => {
  const text = metricsText([{ name: 'm', help: '', type: 'gauge', samples: [{ labels: {}, value }] }]);
  expect(text.endsWith(`\nm ${expected}\n`)).toBe(true);
});
