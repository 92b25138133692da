import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import type { IntervalHistogram } from 'node:perf_hooks';

/** What generating the load cost the thread that did it. */
export interface ThreadUse {
  /** CPU time of this thread alone; null where /proc does not tell. */
  readonly cpuNs: number | null;
  readonly wallNs: number;
  readonly eventLoopDelayNsP99: number;
  readonly garbageCollectionNs: number;
}

const delayResolutionMs = 5;

/** Watches the thread that makes it, from `start` to `stop`. */
export class ThreadWatch {
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: delayResolutionMs });
  readonly #collections: PerformanceObserver;
  #garbageCollectionMs = 0;
  #startCpuNs: number | null = null;
  #startNs = 0n;

  constructor() {
    this.#collections = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#garbageCollectionMs += entry.duration;
    });
  }

  start(): void {
    this.#collections.observe({ entryTypes: ['gc'] });
    this.#delay.enable();
    this.#startCpuNs = readThreadCpuNs();
    this.#startNs = process.hrtime.bigint();
  }

  stop(): ThreadUse {
    const cpuNs = readThreadCpuNs();
    const wallNs = Number(process.hrtime.bigint() - this.#startNs);
    this.#delay.disable();
    this.#collections.disconnect();
    return {
      cpuNs: cpuNs === null || this.#startCpuNs === null ? null : cpuNs - this.#startCpuNs,
      wallNs,
      // The histogram holds whole intervals; the delay is what goes beyond the asked one.
      eventLoopDelayNsP99: Math.max(0, this.#delay.percentile(99) - delayResolutionMs * 1e6),
      garbageCollectionNs: this.#garbageCollectionMs * 1e6,
    };
  }
}

/** CPU time of the calling thread: Node 20 knows that of the process only. */
function readThreadCpuNs(): number | null {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]);
  } catch {
    return null; // not Linux
  }
}
