import { expect, test } from 'vitest';
import { sweptValues } from '../../runners/plan-sweep.ts';
import type { ParameterKind, ParameterSpec } from '../../workloads/workload.ts';

function spec(kind: ParameterKind): ParameterSpec {
  return { kind, doc: '', default: '', smoke: '' };
}

test('a sweep is a list or a range by factor or step', () => {
  expect(sweptValues(spec('rate'), '1k/s..8k/s:x2', 'rate')).toEqual(['1k/s', '2k/s', '4k/s', '8k/s']);
  expect(sweptValues(spec('duration'), '0ms..60ms:+20ms', 'delay')).toEqual(['0s', '20ms', '40ms', '60ms']);
  expect(sweptValues(spec('duration'), ['1s', '1000ms', '2m'], 'window')).toEqual(['1s', '2m']);
  expect(sweptValues(spec('count'), '1,2,8', 'publishers')).toEqual(['1', '2', '8']);
});

test('a list inside a value is not a sweep', () => {
  expect(sweptValues(spec('distribution'), 'uniform(1ms,5ms),20ms', 'f')).toEqual([
    'uniform(1ms,5ms)',
    '20ms',
  ]);
  expect(sweptValues(spec('stages'), '1k/s@1s,2k/s@1s;5k/s@1s', 'f')).toEqual(['1k/s@1s,2k/s@1s', '5k/s@1s']);
});

test('steps that are no binary fractions do not drift', () => {
  expect(sweptValues(spec('fraction'), '0..1:+0.1', 'f')).toEqual([
    '0',
    '0.1',
    '0.2',
    '0.3',
    '0.4',
    '0.5',
    '0.6',
    '0.7',
    '0.8',
    '0.9',
    '1',
  ]);
  expect(sweptValues(spec('rate'), '1k/s..2k/s:x1.1', 'f')).toHaveLength(8);
});

test.each<[ParameterKind, string, string]>([
  ['rate', '1k/s..8k/s', 'f: "1k/s..8k/s" is a range without step; write FROM..TO:x2 or FROM..TO:+STEP'],
  ['rate', '8k/s..1k/s:x2', 'runs from the larger to the smaller'],
  ['rate', '1k/s..8k/s:x1', 'a number above 1'],
  ['duration', '0s..8s:x2', 'cannot start at 0'],
  ['duration', '1s..8s:+0s', 'above 0'],
  ['duration', '1..8:x2', 'number without unit'],
  ['count', '1..1M:+1', 'at most 1000'],
  ['choice', 'a..b:x2', 'has no ranges'],
])('%s %s is refused', (kind, text, rule) => {
  expect(() => sweptValues(spec(kind), text, 'f')).toThrow(rule);
});

test('an empty list is refused', () => {
  expect(() => sweptValues(spec('count'), [], 'f')).toThrow('f: an empty list sweeps nothing');
});
