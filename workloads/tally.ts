// What is counted and timed in each phase of a trial.

import { LatencyCounts } from '../engine/base/latency-counts.ts';
import type { LatencyRecord } from '../engine/base/latency-counts.ts';
import type { Nanos } from '../engine/base/nanos.ts';

export const phaseNames = ['warmup', 'measure', 'drain'] as const;

/** Where the phases of a trial meet, in nanoseconds of one clock. Operations are due from `startNs` on. */
export interface PhaseTimes {
  readonly startNs: Nanos;
  readonly warmupEndNs: Nanos;
  readonly measureEndNs: Nanos;
}

/** Index into `phaseNames` of the phase that a moment falls into. */
export function phaseAt(times: PhaseTimes, atNs: Nanos): 0 | 1 | 2 {
  if (atNs >= times.measureEndNs) return 2;
  return atNs >= times.warmupEndNs ? 1 : 0;
}

/** sent = stored + duplicate + failed + unknown + inFlight, at any moment (case C122). */
export interface Counters {
  sent: number;
  stored: number;
  duplicate: number;
  failed: number;
  unknown: number;
  inFlight: number;
  lostAcksInjected: number;
  retries: number;
  delivered: number;
  redelivered: number;
  acknowledged: number;
  acknowledgedConfirmed: number;
  payloadBytesSent: number;
  payloadBytesDelivered: number;
}

export function zeroCounters(): Counters {
  return {
    sent: 0,
    stored: 0,
    duplicate: 0,
    failed: 0,
    unknown: 0,
    inFlight: 0,
    lostAcksInjected: 0,
    retries: 0,
    delivered: 0,
    redelivered: 0,
    acknowledged: 0,
    acknowledgedConfirmed: 0,
    payloadBytesSent: 0,
    payloadBytesDelivered: 0,
  };
}

const counterNames = Object.keys(zeroCounters()) as (keyof Counters)[];

export function addCounters(into: Counters, added: Readonly<Counters>): void {
  for (const name of counterNames) into[name] += added[name];
}

/** Counters and durations of one phase, while they grow. */
export class Tally {
  readonly counters = zeroCounters();
  /** Operations that were due in the phase, sent or not. */
  due = 0;
  readonly response = new LatencyCounts();
  readonly service = new LatencyCounts();
  readonly lateness = new LatencyCounts();
  readonly endToEnd = new LatencyCounts();

  static from(record: TallyRecord): Tally {
    const tally = new Tally();
    tally.add(record);
    return tally;
  }

  /** Adds what another driver or thread counted in the same phase. */
  add(record: TallyRecord): void {
    addCounters(this.counters, record.counters);
    this.due += record.due;
    this.response.add(LatencyCounts.from(record.response));
    this.service.add(LatencyCounts.from(record.service));
    this.lateness.add(LatencyCounts.from(record.lateness));
    this.endToEnd.add(LatencyCounts.from(record.endToEnd));
  }

  toRecord(): TallyRecord {
    return {
      counters: { ...this.counters },
      due: this.due,
      response: this.response.toRecord(),
      service: this.service.toRecord(),
      lateness: this.lateness.toRecord(),
      endToEnd: this.endToEnd.toRecord(),
    };
  }
}

/** A tally as plain, transferable data. */
export interface TallyRecord {
  readonly counters: Counters;
  readonly due: number;
  readonly response: LatencyRecord;
  readonly service: LatencyRecord;
  readonly lateness: LatencyRecord;
  readonly endToEnd: LatencyRecord;
}

/** One tally for each phase, in the order of `phaseNames`. */
export type Tallies = readonly [Tally, Tally, Tally];
export type TallyRecords = readonly [TallyRecord, TallyRecord, TallyRecord];

export function newTallies(): Tallies {
  return [new Tally(), new Tally(), new Tally()];
}

export function tallyRecords(tallies: Tallies): TallyRecords {
  return [tallies[0].toRecord(), tallies[1].toRecord(), tallies[2].toRecord()];
}
