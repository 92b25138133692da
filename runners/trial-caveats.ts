import { unreachable } from '../engine/base/assert.ts';
import {
  ackWaitCaveat,
  caveat,
  clockCaveat,
  horizonCaveat,
  latenessCaveat,
  loadCaveat,
  rateCaveat,
} from '../results/caveats.ts';
import { formatCount, formatPercent } from '../results/format.ts';
import type { Caveat, Environment, Phase, Run } from '../results/run.ts';
import { quantile } from '../results/histogram.ts';
import { latenessLimitNs } from '../workloads/publisher-driver.ts';
import type { PublisherLedger } from '../workloads/publisher-ledger.ts';
import type { Distribution, WorkloadPlan } from '../workloads/workload.ts';
import type { ReadBack } from './read-back.ts';
import { lanesExhausted, outOfTurn } from './trial-errors.ts';
import type { ErrorCount } from './trial-errors.ts';
import type { RateCheck } from './trial-rates.ts';

/** What is known of a trial when it is judged. */
export interface TrialFacts {
  readonly plan: WorkloadPlan;
  readonly environment: Environment;
  readonly threadCount: number;
  readonly publishers: readonly PublisherLedger[];
  readonly measured: Phase;
  readonly rates: Run['rates'];
  readonly rateCheck: RateCheck | null;
  readonly readBack: ReadBack | null;
  readonly errors: readonly ErrorCount[];
  readonly configurationChanges: readonly string[];
  /** Null when the trial was not interrupted. */
  readonly doneFraction: number | null;
}

const tailFraction = 0.99;
const errorKindsShown = 5;
const unansweredShareMax = 0.01;
// Standard score of that fraction.
const tailScore = 2.3263;

/** Everything that a reader of the trial's numbers must know. */
export function trialCaveats(facts: TrialFacts): Caveat[] {
  return [
    ...generatorCaveats(facts),
    ...measurementCaveats(facts),
    ...configurationCaveats(facts),
    ...errorCaveats(facts.errors),
  ].filter((one) => one !== null);
}

function generatorCaveats(facts: TrialFacts): (Caveat | null)[] {
  const { environment, plan, threadCount, measured } = facts;
  const isOpen = plan.publisher?.loop === 'open';
  const { lateness, response } = measured.histograms;
  const busyThreads = threadCount + 1; // the target's
  const { coreCount } = environment;
  return [
    saturationCaveat(facts),
    isOpen ? latenessCaveat(quantile(lateness, tailFraction), quantile(response, tailFraction)) : null,
    busyThreads > coreCount
      ? caveat({ kind: 'threads-outnumber-cores', threadCount: busyThreads, coreCount })
      : null,
    loadCaveat(environment.loadAverage, coreCount),
    environment.build === 'source' ? caveat({ kind: 'running-from-source' }) : null,
    plan.publisher?.loop === 'closed' ? closedLoopCaveat() : null,
  ];
}

/**
 * Whether any publisher's generator, not the target, set the pace. What an interrupted trial did not come to send is no
 * sign of that.
 */
export function isSaturated(publishers: readonly PublisherLedger[], isPartial: boolean): boolean {
  return publishers.some(({ saturation }) => {
    if (!isPartial) return saturation.saturated;
    return saturation.windowFullCount > 0 || saturation.latenessNsP99 > latenessLimitNs;
  });
}

function saturationCaveat({ publishers, plan, measured, doneFraction }: TrialFacts): Caveat | null {
  if (plan.publisher === null || !isSaturated(publishers, doneFraction !== null)) return null;
  const missed = publishers.map(({ saturation }) => saturation.windowFullCount + saturation.unsentCount);
  return caveat({
    kind: 'generator-saturated',
    latenessNsP99: quantile(measured.histograms.lateness, tailFraction),
    inFlightMax: plan.publisher.inFlightMax,
    missedCount: missed.reduce((sum, count) => sum + count, 0),
  });
}

function closedLoopCaveat(): Caveat {
  return {
    kind: 'closed-loop',
    severity: 'warning',
    message:
      'closed loop: the rate is a ceiling, and its latencies are those of a full queue; ' +
      'measure latency in an open loop at 50 to 90 % of this rate',
  };
}

function measurementCaveats(facts: TrialFacts): (Caveat | null)[] {
  const { plan, rates, rateCheck, readBack, measured } = facts;
  const isOpen = plan.publisher?.loop === 'open';
  const sampleCount = measured.histograms.response?.count ?? measured.histograms.endToEnd?.count ?? 0;
  const isThin = sampleCount > 0 && sampleCount * (1 - tailFraction) < 10 - 1e-6;
  return [
    facts.doneFraction === null ? null : caveat({ kind: 'partial', doneFraction: facts.doneFraction }),
    isOpen && facts.doneFraction === null
      ? rateCaveat(rates.offeredPerSecond, rates.achievedPerSecond)
      : null,
    rateCheck === null ? null : clockCaveat(rateCheck.ownPerSecond, rateCheck.streamPerSecond),
    earlyCaveat(facts.publishers),
    unansweredCaveat(facts),
    isThin ? caveat({ kind: 'too-few-samples', sampleCount, fraction: tailFraction }) : null,
    readBack === null || readBack.isComplete
      ? null
      : caveat({
          kind: 'read-back-incomplete',
          readCount: readBack.readCount,
          reportedCount: readBack.reported.messages,
        }),
  ];
}

function earlyCaveat(publishers: readonly PublisherLedger[]): Caveat | null {
  let earlyNs = 0;
  let earlyCount = 0;
  for (const { sentNs } of publishers) {
    for (const atNs of sentNs) {
      if (atNs >= 0) break; // sends are in order
      earlyCount += 1;
      earlyNs = Math.max(earlyNs, -atNs);
    }
  }
  return earlyCount === 0 ? null : caveat({ kind: 'send-before-start', earlyNs, earlyCount });
}

function configurationCaveats({ plan, configurationChanges }: TrialFacts): (Caveat | null)[] {
  const windowNs = plan.stream.duplicate_window;
  const hasIds = plan.publisher === null || plan.publisher.idHeader === 'message-id';
  const ackWaitNs = plan.consumer?.ack_wait;
  const work = plan.consumerWork;
  return [
    !hasIds && windowNs > 0 ? caveat({ kind: 'no-message-ids', windowNs }) : null,
    work === null || ackWaitNs === undefined
      ? null
      : ackWaitCaveat(ackWaitNs, tailOf(work.handling), work.prefetch),
    plan.publisher?.retry && hasIds ? horizonCaveat(windowNs, plan.publisher.retry.horizonNs) : null,
    ...configurationChanges.map((change): Caveat => {
      return {
        kind: 'configuration-changed',
        severity: 'invalid',
        message: `${change}; ask for what it allows`,
      };
    }),
  ];
}

function errorCaveats(errors: readonly ErrorCount[]): Caveat[] {
  const shown = [...errors].sort((left, right) => right.count - left.count).slice(0, errorKindsShown);
  return shown.map(({ sentence, count }) => {
    const isBroken = sentence === outOfTurn || sentence === lanesExhausted;
    const severity = isBroken ? 'invalid' : 'warning';
    return { kind: 'operation-errors', severity, message: `${formatCount(count)} times: ${sentence}` };
  });
}

function unansweredCaveat({ publishers, doneFraction }: TrialFacts): Caveat | null {
  let sentCount = 0;
  let unansweredCount = 0;
  for (const { phases } of publishers) {
    for (const { counters } of phases) {
      sentCount += counters.sent;
      unansweredCount += counters.unknown + counters.inFlight;
    }
  }
  if (unansweredCount === 0 || doneFraction !== null) return null;
  const share = unansweredCount / sentCount;
  return {
    kind: 'unanswered',
    severity: share > unansweredShareMax ? 'invalid' : 'warning',
    message:
      `${formatCount(unansweredCount)} publishes (${formatPercent(share)}) were never answered, so latencies and rates ` +
      'leave out the slowest; look at what the target was doing, or lower the rate',
  };
}

/** The 99th percentile of a handling time. */
function tailOf(distribution: Distribution): number {
  switch (distribution.kind) {
    case 'fixed':
      return distribution.valueNs;
    case 'uniform':
      return distribution.minNs + tailFraction * (distribution.maxNs - distribution.minNs);
    case 'exponential':
      return Math.min(distribution.maxNs, -Math.log(1 - tailFraction) * distribution.meanNs);
    case 'lognormal':
      return Math.min(distribution.maxNs, distribution.medianNs * Math.exp(tailScore * distribution.sigma));
    default:
      return unreachable(distribution);
  }
}
