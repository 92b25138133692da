import { encodeCounts } from '../results/histogram.ts';
import { recordProblems } from '../results/invariants.ts';
import { schemaVersion } from '../results/run.ts';
import type { Audit, Caveat, MemorySample, Phase, Run } from '../results/run.ts';
import { trialVerdict } from '../results/verdict.ts';
import type { LatencyCounts } from '../engine/base/latency-counts.ts';
import { addCounters, phaseNames, Tally, zeroCounters } from '../workloads/tally.ts';
import type { PhaseTimes } from '../workloads/tally.ts';
import { withoutPassword } from './targets/credentials.ts';
import type { ServerIdentity } from './targets/target.ts';
import { toolVersion } from './tool-version.ts';
import { isSaturated } from './trial-caveats.ts';
import type { ShareResult } from './trial-share.ts';
import type { TrialRequest } from './trial-request.ts';

/** What a trial came to, before it is written down. */
export interface TrialOutcome {
  readonly startedAt: string;
  readonly server: ServerIdentity | null;
  readonly threadCount: number;
  readonly shares: readonly ShareResult[];
  readonly phases: readonly Phase[];
  readonly rates: Run['rates'];
  readonly audit: Audit;
  readonly memory: readonly MemorySample[];
  readonly caveats: readonly Caveat[];
  readonly durationNs: number;
  readonly isPartial: boolean;
}

const unknownServer: ServerIdentity = {
  name: 'unknown',
  version: 'unknown',
  profile: null,
  storage: 'unknown',
  flags: [],
};

/** The record of a trial. When it contradicts itself, which is a fault of ours, it says so and is invalid. */
export function trialRecord(request: TrialRequest, outcome: TrialOutcome): Run {
  const record = assemble(request, outcome);
  const problems = recordProblems(record);
  if (problems.length === 0) return record;
  const caveats: Caveat[] = [
    ...record.caveats,
    {
      kind: 'broken-record',
      severity: 'invalid',
      message: `fault of oncemark, please report: ${problems.join('; ')}`,
    },
  ];
  return { ...record, caveats, verdict: trialVerdict(record.audit, caveats) };
}

function assemble(request: TrialRequest, outcome: TrialOutcome): Run {
  const server = outcome.server ?? unknownServer;
  const totals = zeroCounters();
  for (const phase of outcome.phases) addCounters(totals, phase.counters);
  return {
    schema: schemaVersion,
    tool: { name: 'oncemark', version: toolVersion() },
    runId: request.runId,
    cell: request.cell,
    repeat: request.repeat,
    trial: request.trial,
    startedAt: outcome.startedAt,
    durationNs: outcome.durationNs,
    command: [...request.command],
    seed: request.seed,
    environment: request.environment,
    target: {
      spec: withoutPassword(request.target.spec),
      server: server.name,
      version: server.version,
      profile: server.profile,
      storage: server.storage,
      flags: [...server.flags],
    },
    client: request.client,
    workerCount: outcome.threadCount,
    workload: {
      name: request.workload.name,
      parameters: { ...request.parameters },
      numbers: { ...request.numbers },
      swept: [...request.swept],
    },
    phases: [...outcome.phases],
    totals,
    rates: outcome.rates,
    audit: outcome.audit,
    generator: generatorUse(outcome, totals.sent + totals.delivered),
    memory: [...outcome.memory],
    caveats: [...outcome.caveats],
    partial: outcome.isPartial,
    verdict: verdictOf(outcome),
  };
}

function verdictOf({ audit, caveats, isPartial }: TrialOutcome): Run['verdict'] {
  const verdict = trialVerdict(audit, caveats);
  return isPartial && verdict === 'valid' ? 'unknown' : verdict;
}

function generatorUse(outcome: TrialOutcome, messageCount: number): Run['generator'] {
  const uses = outcome.shares.map((share) => share.use);
  const cpuTimes = uses.flatMap((use) => (use.cpuNs === null ? [] : [use.cpuNs]));
  const isKnown = uses.length > 0 && cpuTimes.length === uses.length;
  const cpuNs = cpuTimes.reduce((sum, value) => sum + value, 0);
  const wallNs = Math.max(0, ...uses.map((use) => use.wallNs));
  const saturated = isSaturated(
    outcome.shares.flatMap((share) => share.publishers),
    outcome.isPartial,
  );
  return {
    cpuFraction: isKnown && wallNs > 0 ? cpuNs / wallNs : null,
    cpuNsPerMessage: isKnown && messageCount > 0 ? cpuNs / messageCount : null,
    eventLoopDelayNsP99: uses.length === 0 ? null : Math.max(...uses.map((use) => use.eventLoopDelayNsP99)),
    garbageCollectionNs:
      uses.length === 0 ? null : uses.reduce((sum, use) => sum + use.garbageCollectionNs, 0),
    keptUp:
      !saturated &&
      !outcome.caveats.some((one) => one.kind === 'lateness-high' && one.severity === 'invalid'),
  };
}

/** Phases of all shares together. `endNs` is when the trial was over; a phase that it did not reach has no length. */
export function mergePhases(shares: readonly ShareResult[], times: PhaseTimes, endNs: number): Phase[] {
  const starts = [times.startNs, times.warmupEndNs, times.measureEndNs];
  const stops = [times.warmupEndNs, times.measureEndNs, Math.max(endNs, times.measureEndNs)];
  const members = shares.flatMap((share) => [...share.publishers, ...share.consumers]);
  return phaseNames.map((name, index) => {
    const tally = new Tally();
    for (const member of members) {
      const record = member.phases[index];
      if (record !== undefined) tally.add(record);
    }
    return {
      name,
      startNs: Math.min(starts[index] ?? 0, endNs),
      endNs: Math.min(stops[index] ?? 0, endNs),
      due: tally.due,
      counters: tally.counters,
      histograms: {
        response: histogramOf(tally.response),
        service: histogramOf(tally.service),
        lateness: histogramOf(tally.lateness),
        endToEnd: histogramOf(tally.endToEnd),
      },
    };
  });
}

function histogramOf(counts: LatencyCounts): Phase['histograms']['response'] {
  return counts.total === 0 ? null : encodeCounts(counts.toRecord());
}

/** An audit of which nothing can be said. */
export function unknownAudit(reasons: readonly string[]): Audit {
  return {
    verdict: 'unknown',
    reasons: [...reasons],
    findings: [],
    totals: {
      attemptedIds: 0,
      acknowledgedIds: 0,
      storedRead: 0,
      storedReported: 0,
      distinctIdsRead: 0,
      duplicateFlagged: 0,
      leakedInWindow: 0,
      leakedAfterWindow: 0,
      lost: 0,
      reordered: 0,
      unexpected: 0,
      deliveredDistinct: 0,
      deliveredDuplicates: 0,
      redeliveries: 0,
      refusedResends: 0,
    },
  };
}
