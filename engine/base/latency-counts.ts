// Counts of durations in the bucket layout of hdr-histogram-js (lowest 1 ns, 3 significant digits, highest 120 s),
// so that a hot path records in a few nanoseconds and the counts can be handed to that library afterwards.
// Buckets double: the first 2048 values have one count each, every later bucket has 1024 counts of 2^bucket ns.

import { assert } from './assert.ts';
import type { Nanos } from './nanos.ts';

export const latencyLayout = {
  lowestDiscernibleNs: 1,
  highestTrackableNs: 120e9,
  significantDigits: 3,
  countsLength: 28_672, // (27 buckets + 1) x 1024
} as const;

/** What a histogram is made of: plain and transferable. `counts` is empty when nothing was recorded. */
export interface LatencyRecord {
  readonly counts: Float64Array;
  readonly total: number;
  /** Smallest and largest value as recorded, before clamping; NaN when nothing was recorded. */
  readonly minNs: Nanos;
  readonly maxNs: Nanos;
  readonly sumNs: number;
  readonly overRangeCount: number;
}

const noCounts = new Float64Array(0);

/** Position of a value in the counts; `valueNs` is an integer in 0 … `highestTrackableNs`. */
export function latencyIndex(valueNs: Nanos): number {
  if (valueNs < 0x1_0000_0000) {
    const bucket = 21 - Math.clz32(valueNs);
    return bucket > 0 ? bucket * 1024 + (valueNs >>> bucket) : valueNs;
  }
  const scaled = (valueNs / 0x1_0000) >>> 0;
  const bucket = 21 - Math.clz32(scaled);
  return (bucket + 16) * 1024 + (scaled >>> bucket);
}

/** Smallest value that is counted at `index`. */
export function latencyLowestNs(index: number): Nanos {
  return index < 2048 ? index : ((index & 1023) + 1024) * 2 ** ((index >>> 10) - 1);
}

/** Largest value that is counted at `index`. */
export function latencyHighestNs(index: number): Nanos {
  return index < 2048 ? index : latencyLowestNs(index) + 2 ** ((index >>> 10) - 1) - 1;
}

/** Counts durations; never allocates after the first one. */
export class LatencyCounts {
  #counts: Float64Array = noCounts;
  #total = 0;
  #minNs = Infinity;
  #maxNs = -1;
  #sumNs = 0;
  #overRangeCount = 0;

  /** Counts that came from another thread; the record's array is taken over. */
  static from(record: LatencyRecord): LatencyCounts {
    const result = new LatencyCounts();
    if (record.total === 0) return result;
    assert(record.counts.length === latencyLayout.countsLength, 'latency counts of another layout');
    result.#counts = record.counts;
    result.#total = record.total;
    result.#minNs = record.minNs;
    result.#maxNs = record.maxNs;
    result.#sumNs = record.sumNs;
    result.#overRangeCount = record.overRangeCount;
    return result;
  }

  get counts(): Float64Array {
    return this.#counts;
  }

  get total(): number {
    return this.#total;
  }

  /** Smallest value recorded; NaN when nothing was (case C120). */
  get minNs(): Nanos {
    return this.#total === 0 ? Number.NaN : this.#minNs;
  }

  /** Largest value recorded, also when it is over the range (case C126); NaN when nothing was. */
  get maxNs(): Nanos {
    return this.#total === 0 ? Number.NaN : this.#maxNs;
  }

  get sumNs(): number {
    return this.#sumNs;
  }

  /** Exact, not rebuilt from buckets; NaN when nothing was recorded. */
  get meanNs(): Nanos {
    return this.#total === 0 ? Number.NaN : this.#sumNs / this.#total;
  }

  /** Values above the range, counted at its top. */
  get overRangeCount(): number {
    return this.#overRangeCount;
  }

  /** Fractions of a nanosecond are cut. A negative duration is a broken clock, hence an assertion error. */
  record(valueNs: Nanos): void {
    if (!(valueNs >= 0)) refuse(valueNs);
    if (this.#total === 0) this.#counts = new Float64Array(latencyLayout.countsLength);
    const whole = Math.floor(valueNs);
    let clamped = whole;
    if (whole > latencyLayout.highestTrackableNs) {
      clamped = latencyLayout.highestTrackableNs;
      this.#overRangeCount += 1;
    }
    const index = latencyIndex(clamped);
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#total += 1;
    this.#sumNs += whole;
    if (whole < this.#minNs) this.#minNs = whole;
    if (whole > this.#maxNs) this.#maxNs = whole;
  }

  /** Adds the other's counts; exact, unlike any mean of percentiles. */
  add(other: LatencyCounts): void {
    if (other.#total === 0) return;
    if (this.#total === 0) this.#counts = new Float64Array(latencyLayout.countsLength);
    const counts = this.#counts;
    const added = other.#counts;
    for (let index = 0; index < counts.length; index += 1) {
      counts[index] = (counts[index] as number) + (added[index] as number);
    }
    this.#total += other.#total;
    this.#sumNs += other.#sumNs;
    this.#overRangeCount += other.#overRangeCount;
    this.#minNs = Math.min(this.#minNs, other.#minNs);
    this.#maxNs = Math.max(this.#maxNs, other.#maxNs);
  }

  /**
   * Value that the given fraction (0 … 1, not per cent: case C129) of the samples does not exceed, within the
   * resolution and inside [min, max] (case C124); NaN when nothing was recorded.
   */
  valueAt(fraction: number): Nanos {
    assert(fraction >= 0 && fraction <= 1, `valueAt takes a fraction of 0 to 1, not ${fraction}`);
    if (this.#total === 0) return Number.NaN;
    if (fraction === 0) return this.#minNs;
    const wanted = Math.max(1, Math.ceil(fraction * this.#total * (1 - Number.EPSILON)));
    if (wanted > this.#total - this.#overRangeCount) return this.#maxNs;
    let seen = 0;
    let index = -1;
    while (seen < wanted) {
      index += 1;
      seen += this.#counts[index] as number;
    }
    return Math.min(Math.max(latencyHighestNs(index), this.#minNs), this.#maxNs);
  }

  /** The same as plain data. The array is shared, not copied. */
  toRecord(): LatencyRecord {
    return {
      counts: this.#counts,
      total: this.#total,
      minNs: this.minNs,
      maxNs: this.maxNs,
      sumNs: this.#sumNs,
      overRangeCount: this.#overRangeCount,
    };
  }
}

function refuse(valueNs: Nanos): never {
  assert(false, `a duration is 0 or more, not ${valueNs}`);
}
