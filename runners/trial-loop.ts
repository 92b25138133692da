import type { TrialClock } from './trial-clock.ts';

/** Something that has work at known times: a publisher or a consumer of this thread. */
export interface LoopMember {
  /** When it has work next, in trial time; Infinity while only the other side can give it some. */
  wakeNs(nowNs: number): number;
  step(nowNs: number): void;
  /** It will never have work again. */
  isDone(nowNs: number): boolean;
}

// setTimeout is late by up to 1.1 ms (measured), so the last stretch is spun.
const spinNs = 1.5e6;
const sleepMaxMs = 20;
// Sockets are polled by turns of the event loop, each of which leaves garbage, as does each reading of the clock:
// polled and read at full speed they fill a heap of a gigabyte a second, and its collections are what makes sends late.
const pollEveryNs = 10_000;
const idleSteps = 500;

/**
 * Steps the members of one thread at their times until all are done or `isOver` says so. Sleeps while the next
 * time is far and spins when it is near: p99 of the lateness is 6 to 17 µs from 1 000 operations a second on.
 */
export class LoadLoop {
  readonly #clock: TrialClock;
  readonly #members: readonly LoopMember[];
  readonly #isOver: (nowNs: number) => boolean;
  #timer: NodeJS.Timeout | null = null;
  #timerAtNs = Infinity;
  readonly #onTurn = (): void => this.#turn();
  #idled = 0;
  #finish: () => void = ignore;
  #fail: (error: unknown) => void = ignore;

  constructor(clock: TrialClock, members: readonly LoopMember[], isOver: (nowNs: number) => boolean) {
    this.#clock = clock;
    this.#members = members;
    this.#isOver = isOver;
  }

  /** Rejects with what a member throws. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
      setImmediate(this.#onTurn);
    });
  }

  /** For a member that has got work earlier than it last said: the loop may be asleep. */
  wakeBy(atNs: number): void {
    if (this.#timer === null || atNs >= this.#timerAtNs) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    setImmediate(this.#onTurn);
  }

  #turn(): void {
    try {
      const nowNs = this.#clock.nowNs();
      if (this.#isOver(nowNs) || this.#stepAll(nowNs)) this.#finish();
      else this.#rest();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Whether all are done. */
  #stepAll(nowNs: number): boolean {
    let isDone = true;
    for (const member of this.#members) {
      if (member.wakeNs(nowNs) <= nowNs) member.step(nowNs);
      if (!member.isDone(nowNs)) isDone = false;
    }
    return isDone;
  }

  #rest(): void {
    const nowNs = this.#clock.nowNs();
    let wakeNs = Infinity;
    for (const member of this.#members) wakeNs = Math.min(wakeNs, member.wakeNs(nowNs));
    const sleepMs = Math.min(sleepMaxMs, Math.floor((wakeNs - nowNs - spinNs) / 1e6));
    if (sleepMs < 1) {
      this.#spin(Math.min(wakeNs, nowNs + pollEveryNs));
      setImmediate(this.#onTurn);
      return;
    }
    this.#timerAtNs = nowNs + sleepMs * 1e6;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#turn();
    }, sleepMs);
  }

  // Half a microsecond or so of arithmetic between two readings of the clock.
  #spin(untilNs: number): void {
    while (this.#clock.nowNs() < untilNs) {
      let value = this.#idled;
      for (let step = 0; step < idleSteps; step += 1) value = Math.imul(value, 0x01000193) ^ step;
      this.#idled = value;
    }
  }
}

function ignore(): void {}
