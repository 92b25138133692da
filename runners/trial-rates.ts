import type { PublisherLedger } from '../workloads/publisher-ledger.ts';
import type { PhaseTimes } from '../workloads/tally.ts';

/** The measured phase's rate by two clocks that know nothing of each other, over the same messages. */
export interface RateCheck {
  readonly ownPerSecond: number;
  readonly streamPerSecond: number;
}

const messagesMin = 100;

/** First and last of the moments noted. */
export class Span {
  count = 0;
  firstNs = Infinity;
  lastNs = -Infinity;

  note(atNs: number): void {
    this.count += 1;
    if (atNs < this.firstNs) this.firstNs = atNs;
    if (atNs > this.lastNs) this.lastNs = atNs;
  }

  get lengthNs(): number {
    return this.lastNs - this.firstNs;
  }

  /** Messages a second between the first and the last, or null for too few to say. */
  get perSecond(): number | null {
    return this.count < 2 || this.lengthNs <= 0 ? null : ((this.count - 1) * 1e9) / this.lengthNs;
  }
}

/** Sends of first attempts in the measured phase, by our clock. */
export function sendSpan(publishers: readonly PublisherLedger[], phases: PhaseTimes): Span {
  const span = new Span();
  for (const { sentNs } of publishers) {
    for (const atNs of sentNs) if (atNs >= phases.warmupEndNs && atNs < phases.measureEndNs) span.note(atNs);
  }
  return span;
}

/**
 * Compares both spans. A message is stored up to `serviceNsMax` after its send, so spans may differ by that much with
 * both clocks right; within it our own span is taken for the stream's.
 */
export function checkRates(sent: Span, stored: Span, serviceNsMax: number): RateCheck | null {
  const ownPerSecond = sent.perSecond;
  const streamPerSecond = stored.perSecond;
  if (ownPerSecond === null || streamPerSecond === null || stored.count < messagesMin) return null;
  const isExplained = Math.abs(sent.lengthNs - stored.lengthNs) <= serviceNsMax;
  return { ownPerSecond: isExplained ? streamPerSecond : ownPerSecond, streamPerSecond };
}
