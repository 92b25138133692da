import { describe, expect, test } from 'vitest';
import { readProcessUse, TargetSampler } from '../../runners/samplers.ts';
import { TrialClock } from '../../runners/trial-clock.ts';

const hasProc = process.platform === 'linux';

test('a sampler notes what the target says before and after the trial', async () => {
  const probes = {
    pid: null,
    liveHeapBytes: async () => 1000.4,
    dedup: async () => ({ entryCount: 7, bytes: 700 }),
  };
  const sampler = new TargetSampler(probes, new TrialClock());
  await sampler.before();
  sampler.start();
  const samples = await sampler.after();
  expect(samples).toHaveLength(2);
  expect(samples[1]).toMatchObject({
    residentBytes: null,
    liveHeapBytes: 1000,
    cpuFraction: null,
    dedupEntries: 7,
    dedupBytes: 700,
  });
});

test('a probe that fails leaves a gap and nothing else', async () => {
  const fail = (): Promise<never> => Promise.reject(new Error('gone'));
  const sampler = new TargetSampler({ pid: null, liveHeapBytes: fail, dedup: fail }, new TrialClock());
  await sampler.before();
  expect(await sampler.after()).toMatchObject([
    { liveHeapBytes: null, dedupEntries: null },
    { liveHeapBytes: null, dedupEntries: null },
  ]);
});

describe('a process of this machine', () => {
  test.runIf(hasProc)('is read by its pid', () => {
    const use = readProcessUse(process.pid);
    expect(use?.residentBytes).toBeGreaterThan(1e6);
    expect(use?.cpuNs).toBeGreaterThanOrEqual(0);
  });

  test('that does not exist is unknown', () => {
    expect(readProcessUse(2 ** 30)).toBeNull();
  });
});
