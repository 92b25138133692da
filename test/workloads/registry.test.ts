import { describe, expect, test } from 'vitest';
import { readParameters } from '../../runners/plan-parameters.ts';
import { catalogue } from '../../workloads/catalogue.ts';
import { idLengthMin, payloadBytesMin } from '../../workloads/operation-id.ts';
import { preloadPlan, preloadPublisher } from '../../workloads/preload.ts';
import { workloads } from '../../workloads/registry.ts';
import type { Workload, WorkloadPlan } from '../../workloads/workload.ts';

const all: readonly Workload[] = Object.values(workloads);

function planOf(workload: Workload, written: Record<string, string> = {}, isSmoke = false): WorkloadPlan {
  return workload.plan(readParameters(workload, written, isSmoke, workload.name).values);
}

describe('workloads', () => {
  test('are found under their own name', () => {
    for (const [name, workload] of Object.entries(workloads)) expect(workload.name).toBe(name);
  });

  test.each(all)('$name: defaults take seconds, smoke values less than half of one', (workload) => {
    const plan = planOf(workload);
    const activeNs = plan.warmupNs + plan.measureNs;
    expect(activeNs).toBeGreaterThanOrEqual(1e9);
    expect(activeNs).toBeLessThanOrEqual(5e9);
    const smoke = planOf(workload, {}, true);
    expect(smoke.warmupNs + smoke.measureNs).toBeLessThan(500e6);
  });

  test.each(all)('$name: its plan is consistent', (workload) => {
    const plan = planOf(workload);
    expect(plan.audit.windowNs).toBe(plan.stream.duplicate_window);
    expect(plan.consumer === null).toBe(plan.consumerWork === null);
    expect(plan.audit.mustBeDelivered).toBe(plan.consumer !== null);
    expect(plan.publisher !== null || plan.preloadCount > 0).toBe(true);
    if (plan.publisher === null) return;
    expect(plan.publisher.payloadBytes).toBeGreaterThanOrEqual(payloadBytesMin);
    expect(plan.publisher.idLength).toBeGreaterThanOrEqual(idLengthMin);
    expect(plan.stream.subjects).toContain(plan.publisher.subject);
    const stagesNs = plan.publisher.stages.reduce((sum, stage) => sum + stage.durationNs, 0);
    expect(stagesNs).toBe(plan.warmupNs + plan.measureNs);
    if (plan.publisher.retry !== null) expect(plan.drainNs).toBeGreaterThan(plan.publisher.retry.horizonNs);
  });

  test('refuse what cannot be run, with field, value and rule', () => {
    const refusal = (workload: Workload, written: Record<string, string>) => () => planOf(workload, written);
    const { publish, consume, 'publish-retry': publishRetry } = workloads;
    expect(refusal(publish, { payload: '23B' })).toThrow('payload: 23 is below 24B');
    expect(refusal(publish, { 'id-length': '11' })).toThrow('id-length: 11 is not in 12 to 255');
    expect(refusal(publish, { window: '99ms' })).toThrow('window: 99ms is below 100ms');
    expect(refusal(publish, { rate: '0/s' })).toThrow('rate: 0/s sends nothing in an open loop');
    expect(refusal(publish, { publishers: '0' })).toThrow('publishers: 0');
    expect(refusal(publish, { replicas: '2' })).toThrow('replicas: 2 is not 1, 3 or 5');
    expect(refusal(publishRetry, { attempts: '0' })).toThrow('attempts: 0');
    expect(refusal(consume, { preload: '0' })).toThrow('preload: 0 and rate 0/s leave nothing to consume');
    expect(refusal(consume, { ack: 'none', retention: 'workqueue' })).toThrow(
      'ack: none cannot empty a work queue',
    );
  });

  test('a closed loop needs no rate, and a control carries no promise', () => {
    const plan = planOf(workloads.publish, { loop: 'closed', rate: '0/s', 'id-header': 'control' });
    expect(plan.publisher).toMatchObject({ loop: 'closed', idHeader: 'control' });
    expect(plan.audit.deduplicated).toBe(false);
  });

  test('the preload is a publisher of its own', () => {
    const plan = planOf(workloads.consume, { rate: '100/s', publishers: '3', payload: '256B' });
    expect(preloadPublisher(plan)).toBe(3);
    expect(preloadPlan(plan)).toMatchObject({
      loop: 'closed',
      messageCount: 2000,
      publisherCount: 1,
      payloadBytes: 256,
    });
    const unfed = planOf(workloads.consume, { payload: '512B' });
    expect(preloadPublisher(unfed)).toBe(0);
    expect(preloadPlan(unfed).payloadBytes).toBe(512);
  });

  test('the catalogue shows every parameter of every workload', () => {
    const text = catalogue(workloads);
    for (const workload of all) {
      expect(text).toContain(`\n## ${workload.name}\n`);
      for (const [name, spec] of Object.entries(workload.parameters)) {
        expect(text).toContain(`| \`${name}\` | `);
        expect(text).toContain(spec.doc);
      }
    }
  });
});
