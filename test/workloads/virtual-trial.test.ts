import { describe, expect, test } from 'vitest';
import { readParameters } from '../../runners/plan-parameters.ts';
import type { Audit } from '../../workloads/audit-findings.ts';
import { workloads } from '../../workloads/registry.ts';
import type { Workload, WorkloadPlan } from '../../workloads/workload.ts';
import { VirtualTrial } from './virtual-trial.ts';

function planOf(workload: Workload, written: Record<string, string>): WorkloadPlan {
  return workload.plan(readParameters(workload, written, true, workload.name).values);
}

const found = (audit: Audit): Record<string, number> =>
  Object.fromEntries(audit.findings.map((finding) => [finding.class, finding.count]));

describe('workloads in virtual time', () => {
  test('publish: everything sent is stored once', () => {
    const { audit, publishers } = new VirtualTrial(planOf(workloads.publish, { rate: '5k/s' })).run(1);
    expect(audit).toMatchObject({ verdict: 'valid', findings: [] });
    expect(publishers[0]?.count).toBe(5000 * 0.25);
    expect(audit.totals).toMatchObject({ storedRead: 1250, acknowledgedIds: 1250 });
  });

  test('publish-retry: duplicates leak when the window is shorter than the retry horizon, and only then', () => {
    const leaked = (window: string): Audit =>
      new VirtualTrial(planOf(workloads['publish-retry'], { window, duration: '400ms' })).run(3).audit;
    const short = leaked('100ms');
    expect(short.verdict).toBe('valid'); // the configuration's fault, not the server's
    expect(short.totals.leakedAfterWindow).toBeGreaterThan(10);
    expect(short.totals.duplicateFlagged).toBeGreaterThan(10);
    expect(leaked('150ms').totals.leakedAfterWindow).toBeLessThan(short.totals.leakedAfterWindow);
    const long = leaked('201ms'); // half-open: a retry exactly at a horizon of 200 ms would find a window of 200 ms over
    expect(long.totals).toMatchObject({ leakedAfterWindow: 0, leakedInWindow: 0 });
    expect(long.findings).toEqual([]);
  });

  test('publish-retry: the same seed leaks the same', () => {
    const once = (seed: number): Audit =>
      new VirtualTrial(planOf(workloads['publish-retry'], {})).run(seed).audit;
    expect(once(4)).toEqual(once(4));
    expect(once(4)).not.toEqual(once(5));
  });

  test('consume: a pull is redelivered when prefetch x handling is above AckWait', () => {
    const redeliveries = (prefetch: string): number => {
      const plan = planOf(workloads.consume, { prefetch, 'ack-wait': '50ms', handling: '2ms' });
      const { audit } = new VirtualTrial(plan).run(1);
      expect(audit.verdict).toBe('valid');
      expect(audit.totals).toMatchObject({ deliveredDistinct: 100, storedRead: 100 });
      expect(audit.totals.redeliveries).toBe(audit.totals.deliveredDuplicates);
      return audit.totals.redeliveries;
    };
    expect(redeliveries('10')).toBe(0); // 20 ms
    expect(redeliveries('22')).toBe(0); // 44 ms
    expect(redeliveries('30')).toBeGreaterThan(20); // 60 ms
  });

  test('consume: crashes and lost acks cost redeliveries and lose nothing', () => {
    const plan = planOf(workloads.consume, { crash: '5%', 'lost-ack': '5%', 'ack-wait': '100ms' });
    const { audit, consumers } = new VirtualTrial(plan).run(2);
    expect(consumers[0]?.crashCount).toBeGreaterThan(0);
    expect(audit).toMatchObject({ verdict: 'valid', totals: { deliveredDistinct: 100 } });
    expect(found(audit)['duplicate-delivered']).toBeGreaterThan(5);
  });

  test('ack-then-retry: refused inside the window although the message is gone, accepted after it', () => {
    const plan = planOf(workloads['ack-then-retry'], { rate: '1k/s', window: '150ms' });
    const { audit, publishers } = new VirtualTrial(plan).run(1);
    expect(audit.verdict).toBe('valid');
    const { refusedResends, leakedAfterWindow, storedRead } = audit.totals;
    expect(storedRead).toBe(0);
    expect(refusedResends).toBeGreaterThan(10);
    expect(leakedAfterWindow).toBeGreaterThan(10);
    expect(refusedResends + leakedAfterWindow).toBe(publishers[0]?.retryCounters.length);
    expect(found(audit)['duplicate-delivered']).toBe(leakedAfterWindow);
  });
});
