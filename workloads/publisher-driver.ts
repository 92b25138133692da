// The step machine of one publisher connection. It owns no clock and no socket: a caller asks when to wake, takes what is due,
// sends it, and settles attempts as their PubAcks arrive. Nothing is allocated for an operation.

import { assert } from '../engine/base/assert.ts';
import { millisecond } from '../engine/base/nanos.ts';
import type { Nanos } from '../engine/base/nanos.ts';
import type { Prng } from '../engine/base/prng.ts';
import { AttemptRows } from './attempt-rows.ts';
import { durationAt } from './distribution.ts';
import { OpenAttempts } from './open-attempts.ts';
import { fixedPacer, poissonPacer, Schedule, shareOf } from './pacer.ts';
import type { Pacer } from './pacer.ts';
import { discardedFlag, outcomes } from './publisher-ledger.ts';
import type { Outcome, PublisherLedger, Saturation } from './publisher-ledger.ts';
import { RetryQueue } from './retry-queue.ts';
import type { Retry } from './retry-queue.ts';
import { newTallies, phaseAt, tallyRecords } from './tally.ts';
import type { Counters, PhaseTimes, Tally } from './tally.ts';
import type { PublisherPlan } from './workload.ts';

/** Lateness p99 of a generator that cannot keep up. Less of it is weighed against the response times, by whoever reads them. */
export const latenessLimitNs: Nanos = 100 * millisecond;

export interface PublisherSetup {
  readonly plan: PublisherPlan;
  /** 0 … plan.publisherCount - 1. */
  readonly publisher: number;
  /** Of this publisher alone, so that its schedule does not depend on the others. */
  readonly prng: Prng;
  readonly phases: PhaseTimes;
}

/** An attempt to be sent. */
export interface NextAttempt {
  /** Dense number of the attempt on this connection. */
  attempt: number;
  counter: number;
  /** 0 for the first attempt of the id. */
  attemptOfId: number;
  dueNs: Nanos;
}

export class PublisherDriver {
  /** What `take` took. Overwritten by the next one. */
  readonly next: NextAttempt = { attempt: 0, counter: 0, attemptOfId: 0, dueNs: 0 };
  readonly publisher: number;
  readonly #plan: PublisherPlan;
  readonly #phases: PhaseTimes;
  readonly #isOpenLoop: boolean;
  readonly #schedule: Schedule;
  readonly #pacer: Pacer;
  readonly #closedCountMax: number;
  readonly #closedEndNs: Nanos;
  readonly #lossWord: number;
  readonly #open: OpenAttempts;
  readonly #first = new AttemptRows();
  readonly #retried = new AttemptRows();
  readonly #retries = new RetryQueue();
  // Two records used over and over: what is being sent, and the retry being queued or taken.
  readonly #sent: Retry = { dueNs: 0, counter: 0, attemptOfId: 0, firstDueNs: 0, firstSentNs: 0 };
  readonly #retry: Retry = { dueNs: 0, counter: 0, attemptOfId: 0, firstDueNs: 0, firstSentNs: 0 };
  readonly #tallies = newTallies();
  #firstDueNs: Nanos;
  #burstNs: Nanos = -1;
  #burstCount = 0;
  #fullSinceNs: Nanos = -1;
  #windowFullCount = 0;
  #windowFullNs = 0;
  #abandonedCount = 0;
  #lateAckCount = 0;
  #surplusAckCount = 0;

  constructor({ plan, publisher, prng, phases }: PublisherSetup) {
    assert(plan.inFlightMax >= 1, `inFlightMax ${plan.inFlightMax} lets nothing be sent`);
    const share = { publisher, publisherCount: plan.publisherCount };
    this.publisher = publisher;
    this.#plan = plan;
    this.#phases = phases;
    this.#isOpenLoop = plan.loop === 'open';
    this.#schedule = new Schedule(plan.stages);
    const isPoisson = plan.arrivals === 'poisson';
    this.#pacer = isPoisson ? poissonPacer(this.#schedule, share, prng) : fixedPacer(this.#schedule, share);
    this.#closedCountMax = plan.messageCount === 0 ? Infinity : shareOf(plan.messageCount, share);
    this.#closedEndNs = plan.messageCount === 0 ? phases.startNs + this.#schedule.durationNs : Infinity;
    this.#lossWord = prng.uint32();
    this.#open = new OpenAttempts(plan.inFlightMax);
    this.#firstDueNs = this.#followingDueNs();
  }

  /** Any two open attempts differ by less than this power of two, so attempt modulo it is a lane of one's own. */
  get attemptSpan(): number {
    return this.#open.capacity;
  }

  get openCount(): number {
    return this.#open.openCount;
  }

  /** Nothing open, nothing waiting and nothing still to come. A closed loop knows its end once a `take` was refused for it. */
  get isDone(): boolean {
    return this.#open.openCount === 0 && this.#retries.length === 0 && this.#firstDueNs === Infinity;
  }

  /** Sums over all phases of what has happened so far, for progress lines. */
  counters(): readonly [Readonly<Counters>, Readonly<Counters>, Readonly<Counters>] {
    return [this.#tallies[0].counters, this.#tallies[1].counters, this.#tallies[2].counters];
  }

  /**
   * When the next operation is due, which may be past. Infinity when there is none any more, or none before an attempt is
   * settled because the window is full.
   */
  wakeNs(): Nanos {
    if (this.#isWindowFull()) return Infinity;
    return Math.min(this.#firstDueNs, this.#retries.dueNs);
  }

  /**
   * Takes the next due operation into `next`, which the caller sends now. False when none is due, the window is full, or
   * `catchUpMax` operations were taken at this very moment already: read what has arrived, then come back with a later one.
   */
  take(nowNs: Nanos): boolean {
    if (this.wakeNs() > nowNs) {
      if (this.#isOpenLoop && this.#fullSinceNs < 0 && this.#isWindowFull()) this.#noteFull(nowNs);
      return false;
    }
    if (this.#isOpenLoop && !this.#isWithinBurst(nowNs)) return false;
    this.#noteRoom(nowNs);
    if (this.#retries.dueNs <= this.#firstDueNs && this.#takeRetry(nowNs)) return true;
    return this.#firstDueNs <= nowNs && this.#takeFirst(nowNs);
  }

  /**
   * The end of an attempt: its PubAck (`stored` or `duplicate` with the sequence), a definite error (`failed`), or `unknown`.
   * An ack that the plan loses is counted and discarded here, and the retry scheduled. Settling twice is counted, not obeyed.
   */
  settle(attempt: number, outcome: Outcome, sequence: number, nowNs: Nanos): void {
    if (!(attempt >= 0 && attempt < this.#open.next)) assert(false, `attempt ${attempt} was never taken`);
    const cell = this.#open.cellOf(attempt);
    if (cell === -2) this.#lateAckCount += 1;
    else if (cell === -1) this.#surplusAckCount += 1;
    else this.#settleCell(cell, outcome, sequence, nowNs, false);
  }

  /** Settles attempts sent `timeoutNs` ago or earlier as unknown; returns how many. Their PubAck may still come: it is counted as late. */
  expire(nowNs: Nanos, timeoutNs: Nanos): number {
    let count = 0;
    for (let cell = this.#open.oldestCell; cell >= 0; cell = this.#open.oldestCell) {
      if ((this.#open.sentNs[cell] as number) + timeoutNs > nowNs) break;
      this.#settleCell(cell, outcomes.unknown, 0, nowNs, true);
      count += 1;
    }
    return count;
  }

  /** The connection is gone: nobody will ever answer what is open. */
  abandonOpen(nowNs: Nanos): number {
    return this.expire(nowNs, -Infinity);
  }

  /** Ends the account. The driver must not be used afterwards. */
  finish(nowNs: Nanos): PublisherLedger {
    const unsentCount = this.#countUnsent(nowNs);
    this.#noteRoom(nowNs);
    const first = this.#first.toArrays();
    const retried = this.#retried.toArrays();
    return {
      publisher: this.publisher,
      count: this.#first.length,
      outcomes: first.outcomes,
      sequences: first.sequences,
      sentNs: first.sentNs,
      retryCounters: retried.counters,
      retryOutcomes: retried.outcomes,
      retrySequences: retried.sequences,
      retrySentNs: retried.sentNs,
      phases: tallyRecords(this.#tallies),
      saturation: this.#saturation(unsentCount),
      abandonedCount: this.#abandonedCount,
      lateAckCount: this.#lateAckCount,
      surplusAckCount: this.#surplusAckCount,
    };
  }

  #isWindowFull(): boolean {
    return this.#open.openCount >= this.#plan.inFlightMax || this.#open.isFull;
  }

  #followingDueNs(): Nanos {
    if (this.#isOpenLoop) return this.#phases.startNs + this.#pacer();
    return this.#first.length < this.#closedCountMax ? this.#phases.startNs : Infinity;
  }

  #isWithinBurst(nowNs: Nanos): boolean {
    if (nowNs !== this.#burstNs) {
      this.#burstNs = nowNs;
      this.#burstCount = 0;
    }
    this.#burstCount += 1;
    return this.#burstCount <= Math.max(1, this.#plan.catchUpMax);
  }

  #noteFull(nowNs: Nanos): void {
    if (Math.min(this.#firstDueNs, this.#retries.dueNs) > nowNs) return;
    this.#fullSinceNs = nowNs;
    this.#windowFullCount += 1;
  }

  #noteRoom(nowNs: Nanos): void {
    if (this.#fullSinceNs < 0) return;
    this.#windowFullNs += nowNs - this.#fullSinceNs;
    this.#fullSinceNs = -1;
  }

  #takeFirst(nowNs: Nanos): boolean {
    if (nowNs >= this.#closedEndNs && !this.#isOpenLoop) {
      this.#firstDueNs = Infinity;
      return false;
    }
    const dueNs = this.#isOpenLoop ? this.#firstDueNs : nowNs;
    const row = this.#first.push(this.#first.length, nowNs);
    this.#tallyOf(dueNs).due += 1;
    const sent = this.#sent;
    sent.counter = row;
    sent.attemptOfId = 0;
    sent.dueNs = sent.firstDueNs = dueNs;
    sent.firstSentNs = nowNs;
    this.#send(row, sent, nowNs);
    this.#firstDueNs = this.#followingDueNs();
    return true;
  }

  // Retries whose horizon passed while they waited for their turn are given up.
  #takeRetry(nowNs: Nanos): boolean {
    while (this.#retries.dueNs <= nowNs && this.#retries.pop(this.#retry)) {
      if (nowNs - this.#retry.firstSentNs <= (this.#plan.retry?.horizonNs ?? 0)) {
        const row = this.#retried.push(this.#retry.counter, nowNs);
        this.#tallyOf(this.#retry.dueNs).counters.retries += 1;
        this.#send(row, this.#retry, nowNs);
        return true;
      }
      this.#abandonedCount += 1;
    }
    return false;
  }

  #send(row: number, sent: Readonly<Retry>, nowNs: Nanos): void {
    const open = this.#open;
    this.next.attempt = open.next;
    const cell = open.open();
    open.rows[cell] = row;
    open.counters[cell] = this.next.counter = sent.counter;
    open.attemptsOfId[cell] = this.next.attemptOfId = sent.attemptOfId;
    open.dueNs[cell] = this.next.dueNs = sent.dueNs;
    open.firstDueNs[cell] = sent.firstDueNs;
    open.firstSentNs[cell] = sent.firstSentNs;
    open.sentNs[cell] = nowNs;
    const tally = this.#tallyOf(sent.dueNs);
    tally.lateness.record(nowNs - sent.dueNs);
    tally.counters.sent += 1;
    tally.counters.inFlight += 1;
    tally.counters.payloadBytesSent += this.#plan.payloadBytes;
  }

  #settleCell(cell: number, outcome: Outcome, sequence: number, nowNs: Nanos, isExpired: boolean): void {
    const open = this.#open;
    const counter = open.counters[cell] as number;
    const attemptOfId = open.attemptsOfId[cell] as number;
    const tally = this.#tallyOf(open.dueNs[cell] as number);
    count(tally.counters, outcome);
    const isAcked = outcome === outcomes.stored || outcome === outcomes.duplicate;
    const isLost = isAcked && this.#isLost(counter, attemptOfId);
    const rows = attemptOfId === 0 ? this.#first : this.#retried;
    rows.end(open.rows[cell] as number, isLost ? outcome | discardedFlag : outcome, sequence);
    if (isAcked) tally.service.record(nowNs - (open.sentNs[cell] as number));
    if (isLost) tally.counters.lostAcksInjected += 1;
    if (isAcked && !isLost) this.#believe(cell, counter, nowNs);
    else this.#scheduleRetry(cell, nowNs);
    open.close(cell, isExpired);
  }

  #believe(cell: number, counter: number, nowNs: Nanos): void {
    const firstDueNs = this.#open.firstDueNs[cell] as number;
    this.#tallyOf(firstDueNs).response.record(nowNs - firstDueNs);
    this.#first.believe(counter);
  }

  #scheduleRetry(cell: number, nowNs: Nanos): void {
    const plan = this.#plan.retry;
    const open = this.#open;
    const counter = open.counters[cell] as number;
    const attemptOfId = (open.attemptsOfId[cell] as number) + 1;
    const firstSentNs = open.firstSentNs[cell] as number;
    const dueNs =
      plan === null || attemptOfId >= plan.attemptsMax
        ? Infinity
        : (open.sentNs[cell] as number) +
          durationAt(plan.delay, this.#unit(counter, attemptOfId, 1), this.#unit(counter, attemptOfId, 2));
    if (plan === null || Math.max(dueNs, nowNs) - firstSentNs > plan.horizonNs) {
      this.#abandonedCount += 1;
      return;
    }
    this.#retry.dueNs = Math.max(dueNs, nowNs);
    this.#retry.counter = counter;
    this.#retry.attemptOfId = attemptOfId;
    this.#retry.firstDueNs = open.firstDueNs[cell] as number;
    this.#retry.firstSentNs = firstSentNs;
    this.#retries.push(this.#retry);
  }

  #isLost(counter: number, attemptOfId: number): boolean {
    const probability = this.#plan.retry?.lostAckProbability ?? 0;
    return probability > 0 && this.#unit(counter, attemptOfId, 0) < probability;
  }

  // Chance by hash, not by order of arrival: the same seed loses the same acks however the target behaves.
  #unit(counter: number, attemptOfId: number, salt: number): number {
    const high = Math.floor(counter / 0x1_0000_0000);
    let word = this.#lossWord ^ Math.imul(counter >>> 0, 0x9e3779b1) ^ Math.imul(high, 0x27d4eb2f);
    word = Math.imul(word ^ (attemptOfId << 4) ^ salt ^ (word >>> 15), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return ((word ^ (word >>> 16)) >>> 0) / 0x1_0000_0000;
  }

  #tallyOf(dueNs: Nanos): Tally {
    return this.#tallies[phaseAt(this.#phases, dueNs)];
  }

  #countUnsent(nowNs: Nanos): number {
    if (!this.#isOpenLoop) return 0;
    const endNs = Math.min(nowNs, this.#phases.measureEndNs);
    let unsentCount = 0;
    for (; this.#firstDueNs < endNs; this.#firstDueNs = this.#followingDueNs()) {
      this.#tallyOf(this.#firstDueNs).due += 1;
      unsentCount += 1;
    }
    return unsentCount;
  }

  #saturation(unsentCount: number): Saturation {
    const lateness = this.#tallies[1].lateness;
    const latenessNsP99 = lateness.valueAt(0.99);
    const isLate = this.#isOpenLoop && latenessNsP99 > latenessLimitNs;
    return {
      saturated: isLate || this.#windowFullCount > 0 || unsentCount > 0,
      windowFullCount: this.#windowFullCount,
      windowFullNs: this.#windowFullNs,
      unsentCount,
      latenessNsP99,
      latenessNsMax: lateness.maxNs,
    };
  }
}

function count(counters: Counters, outcome: Outcome): void {
  counters.inFlight -= 1;
  if (outcome === outcomes.stored) counters.stored += 1;
  else if (outcome === outcomes.duplicate) counters.duplicate += 1;
  else if (outcome === outcomes.failed) counters.failed += 1;
  else counters.unknown += 1;
}
