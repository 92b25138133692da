// What every record must satisfy before it is written and after it is read: sums, orders and laws that no honest
// measurement can break. A broken one is a fault of ours, so its numbers are refused instead of charted.

import { decodeHistogram, isLowerBound, standardDeviationOf } from './histogram.ts';
import type { Counters, Histogram, Phase, Run } from './run.ts';

/** One sentence for each law that the record breaks; empty for a sound record. */
export function recordProblems(run: Run): string[] {
  return [
    ...sumProblems('totals', run.totals),
    ...confirmationProblems(run.totals),
    ...run.phases.flatMap(phaseProblems),
    ...phaseSumProblems(run),
    ...rateProblems(run),
    ...littleProblems(run),
    ...auditProblems(run),
  ];
}

/** sent = stored + duplicate + failed + unknown + inFlight, and parts never exceed their whole (case C122). */
export function sumProblems(where: string, counters: Counters): string[] {
  const { sent, stored, duplicate, failed, unknown, inFlight } = counters;
  const problems: string[] = [];
  const sum = stored + duplicate + failed + unknown + inFlight;
  if (sent !== sum) {
    problems.push(
      `${where}: sent ${sent} is not stored ${stored} + duplicate ${duplicate} + failed ${failed} + ` +
        `unknown ${unknown} + in flight ${inFlight} = ${sum}`,
    );
  }
  const parts = [
    ['redelivered', counters.redelivered, 'delivered', counters.delivered],
    ['retries', counters.retries, 'sent', sent],
  ] as const;
  for (const [part, partCount, whole, wholeCount] of parts) {
    if (partCount > wholeCount) {
      problems.push(`${where}: ${part} ${partCount} exceeds ${whole} ${wholeCount}`);
    }
  }
  return problems;
}

// Of the totals only: an ack sent in one phase may be confirmed in the next.
function confirmationProblems({ acknowledged, acknowledgedConfirmed }: Counters): string[] {
  if (acknowledgedConfirmed <= acknowledged) return [];
  return [`totals: acknowledgedConfirmed ${acknowledgedConfirmed} exceeds acknowledged ${acknowledged}`];
}

/** What is known of a sample; the standard deviation only where somebody computed one. */
export interface Moments {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly standardDeviation?: number;
  /** How far a value may lie from what was recorded, as a share: 0 for raw values, 0.001 for a 3-digit histogram. */
  readonly resolution?: number;
}

/** The mean lies in min … max, and the standard deviation cannot exceed half the range times √(n / (n - 1)) (case C132). */
export function momentProblems(where: string, moments: Moments): string[] {
  const { count, min, max, mean, standardDeviation, resolution = 0 } = moments;
  const problems: string[] = [];
  const slack = Math.max(1e-9 * Math.abs(max), 1e-6);
  if (min > max) problems.push(`${where}: min ${min} exceeds max ${max}`);
  if (mean < min - slack || mean > max + slack) {
    problems.push(`${where}: mean ${mean} lies outside ${min} … ${max}`);
  }
  if (standardDeviation === undefined) return problems;
  const bound = count < 2 ? 0 : ((max - min) / 2) * Math.sqrt(count / (count - 1));
  if (standardDeviation > bound + 2 * resolution * Math.abs(max) + slack) {
    problems.push(
      `${where}: standard deviation ${standardDeviation} exceeds ${bound}, the largest that ` +
        `${min} … ${max} allows; another unit?`,
    );
  }
  return problems;
}

/**
 * A mean above p99 by more than one sample in a hundred can carry: an overflow bucket was printed as a value (case C156).
 * A stall that hits fewer than 1 % of the samples may lift an honest mean above p99, up to this bound.
 */
export function tailProblems(
  where: string,
  mean: number,
  p99: number,
  max: number,
  resolution = 0,
): string[] {
  const bound = 0.99 * p99 + 0.01 * max;
  if (mean <= bound * (1 + 2 * resolution) + 1) return [];
  return [
    `${where}: mean ${mean} exceeds p99 ${p99} by more than a maximum of ${max} allows; samples above the range?`,
  ];
}

/**
 * Mean open operations = rate x mean latency. With a cap on open ones, more than the cap cannot be (case C136), but
 * for those that were open at the end of the span: `overhang` is the longest latency as a share of the span.
 */
export function littlesLawProblems(
  where: string,
  perSecond: number,
  meanNs: number,
  inFlightMax: number,
  overhang = 0,
): string[] {
  const openMean = (perSecond * meanNs) / 1e9;
  if (openMean <= inFlightMax * (1.1 + overhang)) return [];
  return [
    `${where}: ${perSecond}/s with a mean of ${meanNs} ns means ${openMean.toFixed(1)} open operations, ` +
      `and at most ${inFlightMax} were allowed (Little's law)`,
  ];
}

/** min, mean, max, spread and tail of one histogram, and that its encoded form says the same. */
export function histogramProblems(where: string, histogram: Histogram | null): string[] {
  if (histogram === null) return [];
  const { count, min, max, mean, overRange } = histogram;
  if (count === 0) {
    return min === null && max === null && mean === null
      ? []
      : [`${where}: an empty histogram has no min, max or mean`];
  }
  if (min === null || max === null || mean === null) {
    return [`${where}: ${count} samples need min, max and mean`];
  }
  if (overRange > count) return [`${where}: overRange ${overRange} exceeds count ${count}`];
  try {
    const decoded = decodeHistogram(histogram);
    // Above the range only the maximum is known exactly.
    const p99 = isLowerBound(histogram, 0.99)
      ? max
      : Math.min(Math.max(decoded.getValueAtPercentile(99), min), max);
    // Samples above the range sit at its top, so their spread is not the encoded one.
    const resolution = 10 ** -decoded.numberOfSignificantValueDigits;
    const spread = overRange === 0 ? { standardDeviation: standardDeviationOf(decoded, mean) } : {};
    return [
      ...momentProblems(where, { count, min, max, mean, resolution, ...spread }),
      ...tailProblems(where, mean, p99, max, resolution),
    ];
  } catch (error) {
    return [`${where}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function phaseProblems(phase: Phase): string[] {
  const where = `phase ${phase.name}`;
  const order =
    phase.endNs < phase.startNs
      ? [`${where}: ends at ${phase.endNs} before its start at ${phase.startNs}`]
      : [];
  const histograms = Object.entries(phase.histograms).flatMap(([name, histogram]) =>
    histogramProblems(`${where}, ${name}`, histogram),
  );
  return [...order, ...sumProblems(where, phase.counters), ...histograms];
}

function phaseSumProblems(run: Run): string[] {
  if (run.phases.length === 0) return [];
  const names = ['sent', 'delivered'] as const;
  return names.flatMap((name) => {
    const sum = run.phases.reduce((total, phase) => total + phase.counters[name], 0);
    return sum === run.totals[name]
      ? []
      : [`totals: ${name} ${run.totals[name]} is not the sum over the phases, ${sum}`];
  });
}

// Phases without messages carry no rate (case C136).
function rateProblems(run: Run): string[] {
  const measured = run.phases.find((phase) => phase.name === 'measure');
  if (measured === undefined) return [];
  const { achievedPerSecond, deliveredPerSecond } = run.rates;
  const problems: string[] = [];
  if (measured.counters.sent === 0 && achievedPerSecond !== null) {
    problems.push(`rates: ${achievedPerSecond}/s achieved in a measured phase that sent nothing`);
  }
  if (measured.counters.delivered === 0 && deliveredPerSecond !== null) {
    problems.push(`rates: ${deliveredPerSecond}/s delivered in a measured phase that delivered nothing`);
  }
  return problems;
}

function littleProblems(run: Run): string[] {
  const inFlightMax = run.workload.numbers['in-flight'];
  const measured = run.phases.find((phase) => phase.name === 'measure');
  const perSecond = run.rates.achievedPerSecond;
  const service = measured?.histograms.service ?? null;
  if (inFlightMax === undefined || perSecond === null || measured === undefined || service === null) {
    return [];
  }
  if (service.mean === null || service.overRange > 0) return [];
  return littlesLawProblems(
    'measure',
    perSecond,
    service.mean,
    inFlightMax * Math.max(1, publisherCount(run)),
    (service.max ?? 0) / Math.max(1, measured.endNs - measured.startNs),
  );
}

function publisherCount(run: Run): number {
  return run.workload.numbers['publishers'] ?? 1;
}

function auditProblems(run: Run): string[] {
  const { verdict, findings } = run.audit;
  const isViolated = findings.some((finding) => finding.severity === 'violation' && finding.count > 0);
  if (isViolated && verdict !== 'invalid') {
    return [`audit: verdict ${verdict} with a violation among its findings`];
  }
  if (verdict === 'invalid' && !isViolated) {
    return ['audit: verdict invalid without a violation among its findings'];
  }
  if (isViolated && run.verdict !== 'violation') {
    return [`verdict: ${run.verdict} although the audit found a violation`];
  }
  return [];
}
