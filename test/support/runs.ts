// Records as real trials leave them, with the figures of the model of a server in trial-model.ts. The same arguments give
// the same record.

import { Prng } from '../../engine/base/prng.ts';
import { caveat } from '../../results/caveats.ts';
import type { Caveat, Counters, Environment, Finding, Run } from '../../results/run.ts';
import { trialVerdict } from '../../results/verdict.ts';
import {
  countMessages,
  memorySeries,
  phase,
  serverModels,
  trialDefaults,
  type ServerModel,
  type Trial,
  type TrialOptions,
} from './trial-model.ts';

const environment: Environment = {
  id: '7f3c9a1e52d04b66',
  cpuModel: 'Example CPU @ 2.90GHz',
  coreCount: 2,
  memoryBytes: 8_222_806_016,
  platform: 'linux x64',
  kernel: '6.1.0-18-amd64',
  nodeVersion: 'v20.20.2',
  build: 'dist',
  governor: 'performance',
  loadAverage: 0.12,
  gitCommit: '3f2a1b9',
};

/** One record that satisfies the schema and every invariant. */
export function buildRun(options: TrialOptions = {}): Run {
  const trial: Trial = { ...trialDefaults, ...options };
  const prng = new Prng(JSON.stringify([trial.model, trial.workload, parameterNumbers(trial), trial.repeat]));
  const server: ServerModel = serverModels[trial.model];
  const achieved = Math.min(trial.rate, server.capacityPerSecond * (0.97 + 0.06 * prng.unit()));
  const measured = countMessages(trial, achieved, prng);
  const phases = [
    phase('warmup', trial, scaleCounters(measured, 0.25), achieved, prng),
    phase('measure', trial, measured, achieved, prng),
  ];
  const totals = sumCounters(phases.map((one) => one.counters));
  const caveats = [...automaticCaveats(trial, achieved), ...trial.caveats];
  const audit = auditOf(trial, totals, prng);
  return {
    schema: 1,
    tool: { name: 'oncemark', version: '0.1.0' },
    runId: '2026-05-04T09-30-00Z-7f3c',
    cell: `${trial.workload}/${JSON.stringify(parameterTexts(trial))}`,
    repeat: trial.repeat,
    trial: trial.trial,
    startedAt: new Date(Date.UTC(2026, 4, 4, 9, 30, trial.trial * 5)).toISOString(),
    durationNs: trial.measureNs * 1.25 + 0.2e9,
    command: [
      'oncemark',
      'run',
      'plans/capacity.yaml',
      '--target',
      'engine',
      '--target',
      'nats-server:2.15.1',
    ],
    seed: '42',
    environment,
    target: server.target,
    client: 'wire',
    workerCount: 1,
    workload: {
      name: trial.workload,
      parameters: parameterTexts(trial),
      numbers: parameterNumbers(trial),
      swept: [...trial.swept],
    },
    phases,
    totals,
    rates: {
      offeredPerSecond: trial.rate,
      achievedPerSecond: achieved,
      streamPerSecond: achieved * (0.998 + 0.004 * prng.unit()),
      deliveredPerSecond: measured.delivered === 0 ? null : achieved * 0.99,
    },
    audit,
    generator: {
      cpuFraction: Math.min(0.98, 0.05 + achieved * 0.6e-6 * 8),
      cpuNsPerMessage: 540 + 40 * prng.unit(),
      eventLoopDelayNsP99: 1.1e6,
      garbageCollectionNs: 2.4e6,
      keptUp: !caveats.some((one) => one.kind === 'generator-saturated'),
    },
    memory: memorySeries(trial, server, achieved, prng),
    caveats,
    partial: false,
    verdict: trialVerdict(audit, caveats),
  };
}

/** 27 cells on three targets: a rate x window sweep, a retry sweep and an AckWait sweep. */
export function capacityPlan(
  options: { readonly repeats?: number; readonly sampleCountMax?: number } = {},
): Run[] {
  const runs: Run[] = [];
  for (let repeat = 0; repeat < (options.repeats ?? 1); repeat += 1) {
    for (const model of ['nats-2.15.1', 'engine', 'nats-2.10.27'] as const) {
      for (const cell of planCells()) {
        const sampleCountMax = options.sampleCountMax ?? trialDefaults.sampleCountMax;
        runs.push(buildRun({ ...cell, model, repeat, trial: runs.length, sampleCountMax }));
      }
    }
  }
  return runs;
}

function planCells(): TrialOptions[] {
  const rates = [1000, 4000, 8000, 16_000, 32_000];
  const windows = [0.5e9, 2e9, 8e9];
  const ratios = [0.1, 0.25, 0.5, 0.9, 1.5, 4];
  const ackWaits = [20e6, 50e6, 100e6, 200e6, 500e6, 2e9];
  return [
    ...rates.flatMap((rate) => windows.map((windowNs) => ({ rate, windowNs, swept: ['rate', 'window'] }))),
    ...ratios.map((ratio) => ({
      workload: 'publish-retry' as const,
      rate: 2000,
      windowNs: 2e9 * ratio,
      swept: ['window'],
    })),
    ...ackWaits.map((ackWaitNs) => ({
      workload: 'consume' as const,
      rate: 500,
      handlingNs: 2e6,
      ackWaitNs,
      swept: ['ack-wait'],
    })),
  ];
}

function parameterNumbers(trial: Trial): Record<string, number> {
  const common = { rate: trial.rate, window: trial.windowNs, payload: 128, 'in-flight': 16_384 };
  if (trial.workload === 'publish-retry') {
    return { ...common, 'retry-horizon': trial.horizonNs, 'lost-ack': 0.2 };
  }
  if (trial.workload === 'consume') {
    return { ...common, prefetch: trial.prefetch, handling: trial.handlingNs, 'ack-wait': trial.ackWaitNs };
  }
  return common;
}

function parameterTexts(trial: Trial): Record<string, string> {
  const texts: Record<string, string> = {
    rate: `${trial.rate}/s`,
    window: `${trial.windowNs / 1e6}ms`,
    payload: '128B',
  };
  if (trial.workload === 'publish-retry') {
    Object.assign(texts, { 'retry-horizon': `${trial.horizonNs / 1e6}ms`, 'lost-ack': '20%' });
  }
  if (trial.workload === 'consume') {
    const handling = `${trial.handlingNs / 1e6}ms`;
    Object.assign(texts, {
      prefetch: String(trial.prefetch),
      handling,
      'ack-wait': `${trial.ackWaitNs / 1e6}ms`,
    });
  }
  return texts;
}

function auditOf(trial: Trial, totals: Counters, prng: Prng): Run['audit'] {
  const ids = totals.sent - totals.retries;
  const leakedAfter = totals.retries - totals.duplicate;
  const leaked: Finding[] =
    leakedAfter === 0
      ? []
      : [
          {
            class: 'duplicate-stored-after-window',
            severity: 'configuration',
            count: leakedAfter,
            examples: Array.from({ length: 3 }, () => {
              const at = prng.int(100, 900);
              return `publisher 0, counter ${at}: sequences ${at + 1} and ${at + 400}, ${trial.windowNs / 1e6 + 3} ms apart, window ${trial.windowNs / 1e6} ms`;
            }),
          },
        ];
  const findings = [...trial.violations, ...leaked];
  const isViolated = trial.violations.some((one) => one.severity === 'violation');
  const of = (name: Finding['class']): number =>
    trial.violations.find((one) => one.class === name)?.count ?? 0;
  return {
    verdict: isViolated ? 'invalid' : 'valid',
    reasons: [],
    findings,
    totals: {
      attemptedIds: ids,
      acknowledgedIds: ids - totals.failed,
      storedRead: totals.stored,
      storedReported: totals.stored,
      distinctIdsRead: ids - totals.failed,
      duplicateFlagged: totals.duplicate,
      leakedInWindow: of('duplicate-stored-in-window'),
      leakedAfterWindow: leakedAfter,
      lost: of('lost-acknowledged'),
      reordered: of('reordered-in-store'),
      unexpected: 0,
      deliveredDistinct: totals.delivered - totals.redelivered,
      deliveredDuplicates: totals.redelivered,
      redeliveries: totals.redelivered,
      refusedResends: 0,
    },
  };
}

function automaticCaveats(trial: Trial, achieved: number): Caveat[] {
  if (achieved >= trial.rate * 0.98) return [];
  return [caveat({ kind: 'rate-not-reached', askedPerSecond: trial.rate, reachedPerSecond: achieved })];
}

function scaleCounters(counters: Counters, share: number): Counters {
  const parts = { ...counters };
  for (const key of Object.keys(parts) as (keyof Counters)[]) parts[key] = Math.floor(parts[key] * share);
  return { ...parts, sent: parts.stored + parts.duplicate + parts.failed + parts.unknown + parts.inFlight };
}

function sumCounters(list: readonly Counters[]): Counters {
  const [first, ...rest] = list as readonly [Counters, ...Counters[]];
  const sum = { ...first };
  for (const one of rest) for (const key of Object.keys(sum) as (keyof Counters)[]) sum[key] += one[key];
  return sum;
}
