// A small model of a server under a trial: a knee at its capacity, ids that fall out of the window, redeliveries past
// AckWait, memory that grows with the ids held. The same trial and generator give the same figures.

import { LatencyCounts } from '../../engine/base/latency-counts.ts';
import type { Prng } from '../../engine/base/prng.ts';
import { encodeCounts } from '../../results/histogram.ts';
import type { Caveat, Counters, Finding, MemorySample, Phase, Run } from '../../results/run.ts';

export interface ServerModel {
  readonly target: Run['target'];
  readonly capacityPerSecond: number;
  readonly medianNs: number;
  readonly bytesPerId: number;
  readonly residentBytes: number;
}

export const serverModels = {
  engine: {
    target: {
      spec: 'engine',
      server: 'oncemark-engine',
      version: '0.1.0',
      profile: 'strict',
      storage: 'memory',
      flags: [],
    },
    capacityPerSecond: 70_000,
    medianNs: 120e3,
    bytesPerId: 62,
    residentBytes: 92e6,
  },
  'nats-2.10.27': {
    target: natsTarget('2.10.27'),
    capacityPerSecond: 21_000,
    medianNs: 210e3,
    bytesPerId: 262,
    residentBytes: 24e6,
  },
  'nats-2.15.1': {
    target: natsTarget('2.15.1'),
    capacityPerSecond: 34_000,
    medianNs: 170e3,
    bytesPerId: 246,
    residentBytes: 28e6,
  },
} satisfies Record<string, ServerModel>;

type ModelName = keyof typeof serverModels;

export interface TrialOptions {
  readonly model?: ModelName;
  readonly workload?: 'publish' | 'publish-retry' | 'consume';
  /** Messages a second. */
  readonly rate?: number;
  readonly windowNs?: number;
  readonly horizonNs?: number;
  readonly prefetch?: number;
  readonly handlingNs?: number;
  readonly ackWaitNs?: number;
  readonly swept?: readonly string[];
  readonly repeat?: number;
  readonly trial?: number;
  readonly measureNs?: number;
  /** Samples in each histogram; fewer than the messages sent keeps tests quick. */
  readonly sampleCountMax?: number;
  readonly violations?: readonly Finding[];
  readonly caveats?: readonly Caveat[];
}

export type Trial = Required<TrialOptions>;

export const trialDefaults: Trial = {
  model: 'nats-2.15.1',
  workload: 'publish',
  rate: 4000,
  windowNs: 2e9,
  horizonNs: 2e9,
  prefetch: 32,
  handlingNs: 1e6,
  ackWaitNs: 1e9,
  swept: [],
  repeat: 0,
  trial: 0,
  measureNs: 3e9,
  sampleCountMax: 4000,
  violations: [],
  caveats: [],
};

function natsTarget(version: string): Run['target'] {
  const spec = `nats-server:${version}`;
  return { spec, server: 'nats-server', version, profile: null, storage: 'memory', flags: ['-js'] };
}

export function countMessages(trial: Trial, achieved: number, prng: Prng): Counters {
  const first = Math.round((achieved * trial.measureNs) / 1e9);
  const isRetry = trial.workload === 'publish-retry';
  const retries = isRetry ? Math.round(first * 0.2) : 0;
  const leaked = isRetry ? Math.round(retries * leakedShare(trial) * (0.95 + 0.1 * prng.unit())) : 0;
  const failed = achieved < trial.rate * 0.9 ? Math.round(first * 0.002) : 0;
  const stored = first + leaked;
  const duplicate = retries - leaked;
  const delivered = trial.workload === 'consume' ? first : 0;
  const redelivered = Math.round(delivered * redeliveredShare(trial) * (0.95 + 0.1 * prng.unit()));
  return {
    sent: stored + duplicate + failed,
    stored,
    duplicate,
    failed,
    unknown: 0,
    inFlight: 0,
    lostAcksInjected: retries,
    retries,
    delivered: delivered + redelivered,
    redelivered,
    acknowledged: delivered,
    acknowledgedConfirmed: 0,
    payloadBytesSent: (stored + duplicate) * 128,
    payloadBytesDelivered: (delivered + redelivered) * 128,
  };
}

// Retry delays are exponential up to the horizon: what comes after the window is stored again.
function leakedShare(trial: Trial): number {
  const ratio = trial.windowNs / trial.horizonNs;
  return ratio >= 1 ? 0 : (Math.exp(-3 * ratio) - Math.exp(-3)) / (1 - Math.exp(-3));
}

function redeliveredShare(trial: Trial): number {
  const load = (trial.prefetch * trial.handlingNs) / trial.ackWaitNs;
  return load <= 1 ? 0 : 1 - 1 / load;
}

export function phase(
  name: 'warmup' | 'measure',
  trial: Trial,
  counters: Counters,
  achieved: number,
  prng: Prng,
): Phase {
  const warmupNs = trial.measureNs / 4;
  const sampleCount = Math.min(counters.sent - counters.failed, trial.sampleCountMax);
  const server = serverModels[trial.model];
  const load = Math.min(0.985, trial.rate / server.capacityPerSecond);
  const [response, service, lateness] = [new LatencyCounts(), new LatencyCounts(), new LatencyCounts()];
  const endToEnd = new LatencyCounts();
  for (let index = 0; index < sampleCount; index += 1) {
    const late = 4e3 + 6e3 * -Math.log(1 - prng.unit());
    const queued = server.medianNs / (1 - load);
    const served = queued * Math.exp(0.45 * normal(prng)) * (prng.chance(0.004) ? 4 + 12 * prng.unit() : 1);
    const backlog = achieved < trial.rate * 0.98 ? (index / sampleCount) * 400e6 : 0;
    service.record(served);
    lateness.record(late);
    response.record(served + late + backlog);
    if (counters.delivered > 0) {
      endToEnd.record(served * 0.8 + trial.handlingNs * trial.prefetch * 0.5 * prng.unit());
    }
  }
  return {
    name,
    startNs: name === 'warmup' ? 0 : warmupNs,
    endNs: name === 'warmup' ? warmupNs : warmupNs + trial.measureNs,
    due: counters.sent,
    counters,
    histograms: {
      response: encodeCounts(response),
      service: encodeCounts(service),
      lateness: encodeCounts(lateness),
      endToEnd: counters.delivered > 0 ? encodeCounts(endToEnd) : null,
    },
  };
}

function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.unit())) * Math.cos(2 * Math.PI * prng.unit());
}

export function memorySeries(
  trial: Trial,
  server: ServerModel,
  achieved: number,
  prng: Prng,
): MemorySample[] {
  const endNs = trial.measureNs * 1.25;
  const samples: MemorySample[] = [];
  for (let atNs = 0; atNs <= endNs; atNs += 250e6) {
    const held = Math.round((achieved * Math.min(atNs, trial.windowNs)) / 1e9);
    const dedupBytes = held * server.bytesPerId;
    const storedBytes = Math.round(((achieved * atNs) / 1e9) * 190);
    const seen = atNs % 1e9 === 0;
    samples.push({
      atNs,
      residentBytes: Math.round(
        server.residentBytes + dedupBytes * 1.6 + storedBytes * (1 + 0.03 * prng.unit()),
      ),
      liveHeapBytes: seen ? Math.round(server.residentBytes * 0.4 + dedupBytes + storedBytes * 0.9) : null,
      cpuFraction:
        atNs === 0 ? null : Math.min(1.4, achieved / server.capacityPerSecond + 0.05 * prng.unit()),
      dedupEntries: seen ? held : null,
      dedupBytes: seen ? dedupBytes : null,
    });
  }
  return samples;
}
