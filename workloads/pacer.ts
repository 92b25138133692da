// When operations are due. A pure function of stages and number: being late, or a pause, never earns credit, so there is
// no burst above the asked rate that the schedule itself does not contain (case C134).

import { assert } from '../engine/base/assert.ts';
import { second } from '../engine/base/nanos.ts';
import type { Nanos } from '../engine/base/nanos.ts';
import type { Prng } from '../engine/base/prng.ts';
import type { Stage } from './workload.ts';

/** Gives the due moments of one publisher in order, in nanoseconds since the start; Infinity when there are no more. */
export type Pacer = () => Nanos;

/** Stages laid end to end from time 0. Rates are totals over all publishers. */
export class Schedule {
  readonly durationNs: Nanos;
  /** Operations that the stages ask for, fractions included. */
  readonly operationCount: number;
  readonly #startsNs: Nanos[] = [];
  readonly #rates: number[] = [];
  /** Operations before each stage, and behind the last. */
  readonly #before: number[] = [0];
  #stage = 0;

  constructor(stages: readonly Stage[]) {
    let startNs = 0;
    let count = 0;
    for (const stage of stages) {
      assert(stage.ratePerSecond >= 0, `a stage's rate is 0 or more, not ${stage.ratePerSecond}`);
      assert(stage.durationNs >= 0, `a stage's duration is 0 or more, not ${stage.durationNs}`);
      this.#startsNs.push(startNs);
      this.#rates.push(stage.ratePerSecond);
      startNs += stage.durationNs;
      count += (stage.ratePerSecond * stage.durationNs) / second;
      this.#before.push(count);
    }
    this.durationNs = startNs;
    this.operationCount = count;
  }

  /**
   * When the given amount of operations has been asked for (operation n, counted from 0, is due at amount n), always inside
   * the stage that asks for it; Infinity behind the last one.
   */
  dueNs(amount: number): Nanos {
    if (amount >= this.operationCount) return Infinity;
    let stage = amount >= (this.#before[this.#stage] as number) ? this.#stage : 0;
    while (amount >= (this.#before[stage + 1] as number)) stage += 1;
    this.#stage = stage;
    const offsetNs = ((amount - (this.#before[stage] as number)) * second) / (this.#rates[stage] as number);
    const startNs = this.#startsNs[stage] as Nanos;
    const endNs = this.#startsNs[stage + 1] ?? this.durationNs;
    return Math.min(Math.floor(startNs + offsetNs), Math.ceil(endNs) - 1);
  }
}

export interface Share {
  readonly publisher: number;
  readonly publisherCount: number;
}

/** A total split over publishers: the first ones take the remainder (case C110). */
export function shareOf(total: number, { publisher, publisherCount }: Share): number {
  assert(publisher >= 0 && publisher < publisherCount, `publisher ${publisher} of ${publisherCount}`);
  return Math.floor(total / publisherCount) + (publisher < total % publisherCount ? 1 : 0);
}

/** Evenly spaced: operations go round the publishers, which also spreads their start moments (case C135). */
export function fixedPacer(schedule: Schedule, { publisher, publisherCount }: Share): Pacer {
  let operation = publisher - publisherCount;
  return () => {
    operation += publisherCount;
    return schedule.dueNs(operation);
  };
}

/** A Poisson process of the publisher's share of the rate; the count over the stages is random too. */
export function poissonPacer(schedule: Schedule, { publisherCount }: Share, prng: Prng): Pacer {
  let amount = 0;
  return () => {
    amount -= Math.log(1 - prng.unit()) * publisherCount;
    return schedule.dueNs(amount);
  };
}
