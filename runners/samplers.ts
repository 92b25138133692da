import { readFileSync } from 'node:fs';
import type { MemorySample } from '../results/run.ts';
import type { TargetProbes } from './targets/target.ts';
import type { TrialClock } from './trial-clock.ts';

const sampleEveryMs = 500;
const dedupEverySamples = 4;
// USER_HZ: fixed at 100 on every Linux that Node runs on.
const nanosPerTick = 1e7;

/** What one process has used so far. */
export interface ProcessUse {
  readonly residentBytes: number;
  readonly cpuNs: number;
}

/** Resident memory and CPU time of a process of this machine, or null where /proc does not tell. */
export function readProcessUse(pid: number): ProcessUse | null {
  try {
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold spaces; utime and stime are the 12th and 13th fields behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    if (resident === null || !Number.isFinite(ticks)) return null;
    return { residentBytes: Number(resident[1]) * 1024, cpuNs: ticks * nanosPerTick };
  } catch {
    return null; // no /proc, or the process is gone
  }
}

/**
 * Watches the target from outside during a trial: resident memory and CPU every half second, the dedup gauges every
 * two seconds, the live heap (which costs the target a collection) before and after only. On two cores each look
 * takes a core away from the generator or the target: four a second made p99 of the lateness three times as high.
 */
export class TargetSampler {
  readonly #probes: TargetProbes;
  readonly #clock: TrialClock;
  readonly #samples: MemorySample[] = [];
  #timer: NodeJS.Timeout | null = null;
  #last: { atNs: number; cpuNs: number } | null = null;
  #turn = 0;
  #isAsking = false;

  constructor(probes: TargetProbes, clock: TrialClock) {
    this.#probes = probes;
    this.#clock = clock;
  }

  /** The sample before the trial, live heap included. */
  async before(): Promise<void> {
    await this.#full();
  }

  start(): void {
    this.#last = null; // the clock may have been set anew
    this.#timer = setInterval(() => void this.#sample(), sampleEveryMs);
  }

  /** The sample after it, and then all of them in order of time. */
  async after(): Promise<MemorySample[]> {
    this.stop();
    await this.#full();
    return this.#samples.sort((left, right) => left.atNs - right.atNs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #full(): Promise<void> {
    const dedup = await quiet(this.#probes.dedup());
    const liveHeapBytes = await quiet(this.#probes.liveHeapBytes());
    this.#push(liveHeapBytes, dedup);
  }

  async #sample(): Promise<void> {
    this.#turn += 1;
    if (this.#turn % dedupEverySamples !== 0 || this.#isAsking) {
      this.#push(null, null);
      return;
    }
    this.#isAsking = true;
    const dedup = await quiet(this.#probes.dedup());
    this.#isAsking = false;
    if (this.#timer !== null) this.#push(null, dedup);
  }

  #push(liveHeapBytes: number | null, dedup: { entryCount: number; bytes: number } | null): void {
    const use = this.#probes.pid === null ? null : readProcessUse(this.#probes.pid);
    const atNs = this.#clock.nowNs();
    const last = this.#last;
    const isNext = use !== null && last !== null && atNs > last.atNs;
    this.#samples.push({
      atNs,
      residentBytes: use?.residentBytes ?? null,
      liveHeapBytes: liveHeapBytes === null ? null : Math.round(liveHeapBytes),
      cpuFraction: isNext ? (use.cpuNs - last.cpuNs) / (atNs - last.atNs) : null,
      dedupEntries: dedup?.entryCount ?? null,
      dedupBytes: dedup === null ? null : Math.round(dedup.bytes),
    });
    this.#last = use === null ? null : { atNs, cpuNs: use.cpuNs };
  }
}

// A probe that fails says nothing about the trial: the figure is missing, and the record shows a gap.
async function quiet<T>(answer: Promise<T | null>): Promise<T | null> {
  try {
    return await answer;
  } catch {
    return null;
  }
}
