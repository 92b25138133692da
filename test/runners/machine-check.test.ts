import { expect, test } from 'vitest';
import { judgeMachine, type MachineFigures } from '../../runners/machine-check.ts';
import type { Environment } from '../../results/run.ts';

const machine: Environment = {
  id: '0123456789abcdef',
  cpuModel: 'Some CPU',
  coreCount: 4,
  memoryBytes: 8 * 2 ** 30,
  platform: 'linux x64',
  kernel: '6.1.0',
  nodeVersion: 'v20.19.0',
  build: 'dist',
  governor: 'performance',
  loadAverage: 0.1,
  gitCommit: null,
};

const figures: MachineFigures = {
  clockNs: 40,
  pacer: [{ ratePerSecond: 1000, p50Ns: 2e3, p99Ns: 20e3, maxNs: 300e3 }],
  freeMemoryBytes: 4 * 2 ** 30,
};

function severities(changes: Partial<Environment>, figureChanges: Partial<MachineFigures> = {}): string[] {
  return judgeMachine({ ...machine, ...changes }, { ...figures, ...figureChanges }).map(
    (finding) => finding.severity,
  );
}

test('nothing is said against a quiet machine', () => {
  expect(judgeMachine(machine, figures)).toEqual([]);
  expect(severities({ governor: null })).toEqual([]);
});

test.each<[string, Partial<Environment>, string[]]>([
  ['one core', { coreCount: 1 }, ['care']],
  ['half loaded', { loadAverage: 2.5 }, ['care']],
  ['overloaded', { loadAverage: 7 }, ['unfit']],
  ['power saving', { governor: 'powersave' }, ['care']],
  ['from source', { build: 'source' }, ['care']],
])('%s', (_, changes, expected) => {
  expect(severities(changes)).toEqual(expected);
});

test('a late pacer, a dear clock and little memory are told with their figures', () => {
  const late = {
    clockNs: 2000,
    freeMemoryBytes: 5e8,
    pacer: [{ ratePerSecond: 1000, p50Ns: 1e3, p99Ns: 5e6, maxNs: 9e6 }],
  };
  expect(judgeMachine(machine, late).map((finding) => finding.message)).toEqual([
    'reading the clock costs 2 µs: latencies carry it',
    '477 MiB of memory are free: long windows will not fit',
    'at 1000/s the pacer is 5 ms late at p99: that much of every latency is ours',
  ]);
});
