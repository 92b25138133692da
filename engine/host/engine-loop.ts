import { millisecond } from '../base/nanos.ts';
import { Broker } from './broker.ts';
import { SystemClock } from './clock.ts';
import type { ServerOptions } from './options.ts';
import { WarmSegments } from './warm-segments.ts';

const timerMillisecondsMax = 2 ** 31 - 1;

/**
 * Runs a broker on Node's event loop: all that one pass of the loop brings in is one turn, so one batch
 * (DESIGN D2), and timers wake it when nothing comes in.
 */
export class EngineLoop {
  readonly clock = new SystemClock();
  readonly broker: Broker;
  readonly #segments = new WarmSegments();
  #isScheduled = false;
  #timer: NodeJS.Timeout | null = null;
  #timerAtNs = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(server: ServerOptions, seed: string) {
    this.clock.refresh();
    if (server.jetstream.enabled) this.#segments.start();
    this.broker = new Broker({
      server,
      clock: this.clock,
      seed,
      segmentMemory: (byteCount) => this.#segments.take(byteCount),
      wake: () => this.#schedule(),
    });
  }

  /** Bytes came in; the clock is read once for all of them. */
  enter(): void {
    this.clock.refresh();
  }

  close(): void {
    this.#isClosed = true;
    this.#segments.close();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    if (this.#isClosed) return;
    this.clock.refresh();
    if (this.broker.turn()) this.#schedule();
    else this.#armTimer();
  }

  // A timer that is early only looks again, so it is moved only when it would be late.
  #armTimer(): void {
    const dueNs = this.broker.nextTimerNs;
    if (dueNs >= this.#timerAtNs) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timerAtNs = dueNs;
    const milliseconds = Math.max(1, Math.ceil((dueNs - this.clock.now()) / millisecond));
    this.#timer = setTimeout(
      () => {
        this.#timerAtNs = Number.POSITIVE_INFINITY;
        this.#turn();
      },
      Math.min(milliseconds, timerMillisecondsMax),
    );
  }
}
