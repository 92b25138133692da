import type { Caveat, Phase, Run } from '../results/run.ts';
import type { ConsumerLedger } from '../workloads/consumer-ledger.ts';
import { outcomeMask, outcomes } from '../workloads/publisher-ledger.ts';
import type { PublisherLedger } from '../workloads/publisher-ledger.ts';
import type { PhaseTimes } from '../workloads/tally.ts';
import { trialCaveats } from './trial-caveats.ts';
import { ErrorCounts } from './trial-errors.ts';
import { checkRates, sendSpan, Span } from './trial-rates.ts';
import { mergePhases, unknownAudit } from './trial-record.ts';
import type { TrialOutcome } from './trial-record.ts';
import { phaseTimes } from './trial-share.ts';
import type { Trial } from './trial-play.ts';
import type { TrialRequest } from './trial-request.ts';

/** Sums up a trial that is over, however it ended. */
export function trialOutcome(
  request: TrialRequest,
  trial: Trial,
): Omit<TrialOutcome, 'startedAt' | 'durationNs'> {
  const times = phaseTimes(trial.plan);
  const phases = mergePhases(trial.shares, times, trial.endNs);
  const rates = ratesOf(trial, phases, times);
  const isPartial = trial.end.wasAborted || request.signal.aborted;
  const reason = trial.failure ?? 'the trial ended before it could be audited';
  return {
    server: trial.target?.server ?? null,
    threadCount: trial.threadCount,
    shares: trial.shares,
    phases,
    rates,
    audit: trial.judgement?.audit ?? unknownAudit([reason]),
    memory: trial.memory,
    caveats: [...failureCaveats(trial.failure), ...caveatsOf(request, trial, phases, rates, isPartial)],
    isPartial,
  };
}

function failureCaveats(failure: string | null): Caveat[] {
  if (failure === null) return [];
  return [
    { kind: 'trial-failed', severity: 'invalid', message: `the trial could not be carried out: ${failure}` },
  ];
}

function caveatsOf(
  request: TrialRequest,
  trial: Trial,
  phases: readonly Phase[],
  rates: Run['rates'],
  isPartial: boolean,
): Caveat[] {
  const measured = phases.find((phase) => phase.name === 'measure');
  if (measured === undefined) return [];
  const times = phaseTimes(trial.plan);
  const errors = new ErrorCounts();
  errors.add(trial.errors.toArray());
  for (const share of trial.shares) errors.add(share.errors);
  const isKept = trial.plan.stream.retention === 'limits';
  const storedSpan = trial.judgement?.storedSpan;
  const serviceNsMax = measured.histograms.service?.max ?? 0;
  return trialCaveats({
    plan: trial.plan,
    environment: request.environment,
    threadCount: trial.threadCount,
    publishers: trial.publishers,
    measured,
    rates,
    rateCheck:
      isKept && storedSpan !== undefined
        ? checkRates(sendSpan(trial.publishers, times), storedSpan, serviceNsMax)
        : null,
    readBack: trial.judgement?.readBack ?? null,
    errors: errors.toArray(),
    configurationChanges: trial.ground?.changes ?? [],
    doneFraction: isPartial ? Math.min(1, trial.endNs / Math.max(1, times.measureEndNs)) : null,
  });
}

function ratesOf(trial: Trial, phases: readonly Phase[], times: PhaseTimes): Run['rates'] {
  const measured = phases.find((phase) => phase.name === 'measure');
  const seconds = measured === undefined ? 0 : (measured.endNs - measured.startNs) / 1e9;
  const nothing = {
    offeredPerSecond: null,
    achievedPerSecond: null,
    streamPerSecond: null,
    deliveredPerSecond: null,
  };
  if (measured === undefined || seconds <= 0) return nothing;
  const isOpen = trial.plan.publisher?.loop === 'open';
  const isKept = trial.plan.stream.retention === 'limits';
  const acknowledged = acknowledgedSpan(trial.publishers, times);
  const delivered = deliveredSpan(trial.consumers, times);
  return {
    offeredPerSecond: isOpen ? measured.due / seconds : null,
    achievedPerSecond:
      measured.counters.sent === 0 || trial.plan.publisher === null
        ? null
        : isOpen
          ? acknowledged.count / seconds
          : acknowledged.perSecond,
    streamPerSecond: isKept ? (trial.judgement?.storedSpan.perSecond ?? null) : null,
    // A stream that was filled beforehand may be empty before the phase is over.
    deliveredPerSecond:
      measured.counters.delivered === 0
        ? null
        : trial.plan.publisher === null
          ? delivered.perSecond
          : delivered.count / seconds,
  };
}

/** First attempts that left in the measured phase and were answered with a sequence. */
function acknowledgedSpan(publishers: readonly PublisherLedger[], times: PhaseTimes): Span {
  const span = new Span();
  for (const { sentNs, outcomes: cells } of publishers) {
    for (let counter = 0; counter < sentNs.length; counter += 1) {
      const outcome = (cells[counter] as number) & outcomeMask;
      const isAcked = outcome === outcomes.stored || outcome === outcomes.duplicate;
      const atNs = sentNs[counter] as number;
      if (isAcked && atNs >= times.warmupEndNs && atNs < times.measureEndNs) span.note(atNs);
    }
  }
  return span;
}

function deliveredSpan(consumers: readonly ConsumerLedger[], times: PhaseTimes): Span {
  const span = new Span();
  for (const { deliveredNs } of consumers) {
    for (const atNs of deliveredNs) {
      if (atNs >= times.warmupEndNs && atNs < times.measureEndNs) span.note(atNs);
    }
  }
  return span;
}
