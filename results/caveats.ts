// Typed warnings. Each says what was seen, with its numbers, and what to do next; the record keeps the sentence.

import { formatCount, formatDuration, formatNumber, formatPercent, formatRate, plural } from './format.ts';
import type { Caveat } from './run.ts';

/** What was seen. Rates in messages a second, times in nanoseconds, shares as fractions of 1. */
export type CaveatFacts =
  /** Operations could not be sent when they were due: the cap on open ones was reached, or the generator fell behind. */
  | {
      readonly kind: 'generator-saturated';
      readonly latenessNsP99: number | null;
      readonly inFlightMax: number;
      readonly missedCount: number;
    }
  /** Severity follows the share of the response time: see `latenessShareMax`. */
  | { readonly kind: 'lateness-high'; readonly latenessNsP99: number; readonly responseNsP99: number }
  | { readonly kind: 'too-few-samples'; readonly sampleCount: number; readonly fraction: number }
  | { readonly kind: 'threads-outnumber-cores'; readonly threadCount: number; readonly coreCount: number }
  | { readonly kind: 'rate-not-reached'; readonly askedPerSecond: number; readonly reachedPerSecond: number }
  | {
      readonly kind: 'clock-cross-check-failed';
      readonly ownPerSecond: number;
      readonly streamPerSecond: number;
    }
  | { readonly kind: 'send-before-start'; readonly earlyNs: number; readonly earlyCount: number }
  | { readonly kind: 'no-message-ids'; readonly windowNs: number }
  | { readonly kind: 'stream-captures-own-acks'; readonly subject: string }
  /** A whole pull, handled one by one, outlasts AckWait (case C100). */
  | {
      readonly kind: 'ack-wait-below-handling';
      readonly ackWaitNs: number;
      readonly handlingNsP99: number;
      readonly prefetch: number;
    }
  | { readonly kind: 'machine-busy'; readonly loadAverage: number; readonly coreCount: number }
  | { readonly kind: 'running-from-source' }
  | { readonly kind: 'window-shorter-than-horizon'; readonly windowNs: number; readonly horizonNs: number }
  | { readonly kind: 'read-back-incomplete'; readonly readCount: number; readonly reportedCount: number }
  | { readonly kind: 'partial'; readonly doneFraction: number }
  /** The record breaks laws that no measurement can: see invariants.ts. */
  | { readonly kind: 'broken-record'; readonly problems: readonly string[] };

export type CaveatKind = CaveatFacts['kind'];

/** Lateness above this share of the response time makes the trial invalid: the chart would show the generator. */
const latenessShareMax = 0.5;
/** Lateness below this share goes without saying. */
const latenessShareWarning = 0.1;
/** A trial that reached less than this share of the asked rate says nothing about that rate (case C133). */
const rateShareMin = 0.98;
/** Our rate and the stream's own may differ by this share. */
const clockDifferenceMax = 0.02;

export function caveat(facts: CaveatFacts): Caveat {
  const { severity, message } = (catalogue[facts.kind] as Rule<CaveatFacts>)(facts);
  return { kind: facts.kind, severity, message };
}

/** `lateness-high`, or null when the lateness is a small part of the response time. */
export function latenessCaveat(latenessNsP99: number | null, responseNsP99: number | null): Caveat | null {
  if (latenessNsP99 === null || responseNsP99 === null) return null;
  if (latenessNsP99 < responseNsP99 * latenessShareWarning) return null;
  return caveat({ kind: 'lateness-high', latenessNsP99, responseNsP99 });
}

/** `rate-not-reached`, or null when the rate was reached. */
export function rateCaveat(askedPerSecond: number | null, reachedPerSecond: number | null): Caveat | null {
  if (askedPerSecond === null || reachedPerSecond === null) return null;
  if (reachedPerSecond >= askedPerSecond * rateShareMin) return null;
  return caveat({ kind: 'rate-not-reached', askedPerSecond, reachedPerSecond });
}

/** `clock-cross-check-failed`, or null when our rate is the stream's own. */
export function clockCaveat(ownPerSecond: number | null, streamPerSecond: number | null): Caveat | null {
  if (ownPerSecond === null || streamPerSecond === null) return null;
  if (Math.abs(ownPerSecond - streamPerSecond) <= streamPerSecond * clockDifferenceMax) return null;
  return caveat({ kind: 'clock-cross-check-failed', ownPerSecond, streamPerSecond });
}

/** `ack-wait-below-handling`, or null when a whole pull can be handled within AckWait (case C100). */
export function ackWaitCaveat(ackWaitNs: number, handlingNsP99: number, prefetch: number): Caveat | null {
  if (handlingNsP99 * prefetch <= ackWaitNs) return null;
  return caveat({ kind: 'ack-wait-below-handling', ackWaitNs, handlingNsP99, prefetch });
}

/** `window-shorter-than-horizon`, or null when the window covers every retry (case C26). */
export function horizonCaveat(windowNs: number, horizonNs: number): Caveat | null {
  return windowNs >= horizonNs ? null : caveat({ kind: 'window-shorter-than-horizon', windowNs, horizonNs });
}

/** `machine-busy`, or null. The load average is the one before the trial. */
export function loadCaveat(loadAverage: number, coreCount: number): Caveat | null {
  return loadAverage <= coreCount * 0.5 ? null : caveat({ kind: 'machine-busy', loadAverage, coreCount });
}

type FactsOf<Kind extends CaveatKind> = Extract<CaveatFacts, { kind: Kind }>;
type Rule<Facts> = (facts: Facts) => Omit<Caveat, 'kind'>;

const catalogue: { readonly [Kind in CaveatKind]: Rule<FactsOf<Kind>> } = {
  'generator-saturated': ({ latenessNsP99, inFlightMax, missedCount }) => {
    const missed = missedCount === 0 ? '' : `${plural(missedCount, 'operation')} could not start when due`;
    const late = latenessNsP99 === null ? '' : `sends ${formatDuration(latenessNsP99)} late at p99`;
    const seen = [missed, late].filter((part) => part !== '').join(', ');
    return invalid(
      `generator saturated: ${seen === '' ? 'it set the pace' : seen}, with at most ${formatCount(inFlightMax)} ` +
        'open at once; lower the rate, add a worker, or raise the cap',
    );
  },
  'lateness-high': ({ latenessNsP99, responseNsP99 }) => {
    const isTooHigh = latenessNsP99 > responseNsP99 * latenessShareMax;
    return (isTooHigh ? invalid : warning)(
      `the generator sent ${formatDuration(latenessNsP99)} late at p99, ` +
        `${formatPercent(latenessNsP99 / responseNsP99)} of the response time ` +
        `(${formatDuration(responseNsP99)}); lower the rate or free a core for the generator`,
    );
  },
  'too-few-samples': ({ sampleCount, fraction }) =>
    warning(
      `${plural(sampleCount, 'sample')} cannot carry p${formatNumber(fraction * 100)}, ` +
        `which needs ${formatCount(Math.ceil(10 / (1 - fraction) - 1e-6))}; measure longer`,
    ),
  'threads-outnumber-cores': ({ threadCount, coreCount }) =>
    warning(
      `${plural(threadCount, 'busy thread')} on ${plural(coreCount, 'core')}: target and generator ` +
        'take time from each other; use fewer workers or a machine with more cores',
    ),
  'rate-not-reached': ({ askedPerSecond, reachedPerSecond }) =>
    invalid(
      `reached ${formatPercent(reachedPerSecond / askedPerSecond)} of the asked rate ` +
        `(${formatRate(reachedPerSecond)} of ${formatRate(askedPerSecond)}); ` +
        'its latencies say nothing about that rate: ask for less',
    ),
  'clock-cross-check-failed': ({ ownPerSecond, streamPerSecond }) =>
    invalid(
      `our rate is ${formatRate(ownPerSecond)}, the stream's own timestamps say ${formatRate(streamPerSecond)}; ` +
        'repeat with a longer measured phase, and check the clocks if it stays',
    ),
  'send-before-start': ({ earlyNs, earlyCount }) =>
    invalid(
      `${plural(earlyCount, 'message')} left up to ${formatDuration(earlyNs)} before the start; ` +
        'that is a fault of the generator: report it with the seed',
    ),
  'no-message-ids': ({ windowNs }) =>
    warning(
      `a duplicate window of ${formatDuration(windowNs)} is configured and 0 % of publishes carry an id, ` +
        'so nothing is deduplicated; send Nats-Msg-Id',
    ),
  'stream-captures-own-acks': ({ subject }) =>
    invalid(
      `the stream's subject ${JSON.stringify(subject)} captures its own PubAcks; ` +
        'choose subjects that do not match _INBOX.>',
    ),
  'ack-wait-below-handling': ({ ackWaitNs, handlingNsP99, prefetch }) =>
    warning(
      `${plural(prefetch, 'message')} in a pull at ${formatDuration(handlingNsP99)} each (p99) need ` +
        `${formatDuration(prefetch * handlingNsP99)}, and AckWait is ${formatDuration(ackWaitNs)}: ` +
        'they will be redelivered; pull fewer or raise AckWait',
    ),
  'machine-busy': ({ loadAverage, coreCount }) =>
    warning(
      `load average ${formatNumber(loadAverage)} on ${plural(coreCount, 'core')} before the start; ` +
        'end what else is running and repeat',
    ),
  'running-from-source': () =>
    warning(
      'the generator ran from TypeScript sources, which is slower; build (npm run build) and run dist/',
    ),
  'window-shorter-than-horizon': ({ windowNs, horizonNs }) =>
    warning(
      `the duplicate window (${formatDuration(windowNs)}) is unsafe by ${formatDuration(horizonNs - windowNs)}: ` +
        `publishers retry for up to ${formatDuration(horizonNs)}; set duplicate_window to at least that`,
    ),
  'read-back-incomplete': ({ readCount, reportedCount }) =>
    invalid(
      `read ${formatCount(readCount)} of ${formatCount(reportedCount)} stored messages back, ` +
        'so nothing can be said about the rest; give the drain more time',
    ),
  partial: ({ doneFraction }) =>
    warning(
      `interrupted after ${formatPercent(doneFraction)} of its time; kept, never compared: run it again`,
    ),
  'broken-record': ({ problems }) => invalid(`fault of oncemark, please report: ${problems.join('; ')}`),
};

function invalid(message: string): Omit<Caveat, 'kind'> {
  return { severity: 'invalid', message };
}

function warning(message: string): Omit<Caveat, 'kind'> {
  return { severity: 'warning', message };
}
