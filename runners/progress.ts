// What is seen while a run goes on: a bar on a terminal, plain lines elsewhere, always on standard error.

import { Presets, SingleBar } from 'cli-progress';
import { formatDuration } from '../results/format.ts';

/** How far a run is. */
export interface Progress {
  /** A trial starts; `label` says which. */
  start(trial: number, label: string): void;
  /** How far it is, 0 … 1, and what it is doing. */
  update(fraction: number, note: string): void;
  /** It ended, with one line to keep. */
  finish(line: string): void;
  /** Nothing more comes. Safe to call twice. */
  stop(): void;
}

export interface ProgressOptions {
  /** Expected nanoseconds of each trial, in order. */
  readonly expectedNs: readonly number[];
  readonly isTerminal: boolean;
  readonly writeLine: (line: string) => void;
}

/** Lines for finished trials, and a bar above the next one when a person watches. */
export function runProgress(options: ProgressOptions): Progress {
  const count = options.expectedNs.length;
  const bar = options.isTerminal ? startBar() : null;
  const pace = new Pace(options.expectedNs);
  let current = 0;
  let label = '';
  return {
    start: (trial, text) => {
      current = trial;
      label = text;
      pace.start(trial, performance.now() * 1e6);
      bar?.update(pace.share(0), { label, left: pace.remaining(0) });
    },
    update: (fraction, note) => {
      bar?.update(pace.share(fraction), { label: `${label}  ${note}`, left: pace.remaining(fraction) });
    },
    finish: (line) => {
      pace.finish(performance.now() * 1e6);
      const numbered = `[${current + 1}/${count}] ${line}`;
      if (bar === null) options.writeLine(numbered);
      else keepAbove(numbered);
      bar?.update(pace.share(1));
    },
    stop: () => bar?.stop(),
  };
}

/** Time left, from what was expected and how the finished trials compared with it. */
export class Pace {
  readonly #expectedNs: readonly number[];
  readonly #totalNs: number;
  #trial = 0;
  #startNs = 0;
  #expectedDoneNs = 0;
  #actualDoneNs = 0;

  constructor(expectedNs: readonly number[]) {
    this.#expectedNs = expectedNs;
    this.#totalNs = expectedNs.reduce((sum, value) => sum + value, 0);
  }

  start(trial: number, nowNs: number): void {
    this.#trial = trial;
    this.#startNs = nowNs;
  }

  finish(nowNs: number): void {
    this.#expectedDoneNs += this.#expectedNs[this.#trial] ?? 0;
    this.#actualDoneNs += nowNs - this.#startNs;
  }

  /** Share of the whole run that is done when `fraction` of the current trial is. */
  share(fraction: number): number {
    if (this.#totalNs === 0) return 1;
    const doneNs = this.#trialBeforeNs() + fraction * (this.#expectedNs[this.#trial] ?? 0);
    return Math.min(1, doneNs / this.#totalNs);
  }

  remainingNs(fraction: number): number {
    const slowness = this.#expectedDoneNs === 0 ? 1 : this.#actualDoneNs / this.#expectedDoneNs;
    return this.#totalNs * (1 - this.share(fraction)) * slowness;
  }

  /** `remainingNs` in whole seconds, for people. */
  remaining(fraction: number): string {
    return formatDuration(Math.ceil(this.remainingNs(fraction) / 1e9) * 1e9);
  }

  #trialBeforeNs(): number {
    return this.#expectedNs.slice(0, this.#trial).reduce((sum, value) => sum + value, 0);
  }
}

function startBar(): SingleBar {
  const format = '{bar} {percentage}%  {left} left  {label}';
  const bar = new SingleBar(
    { format, hideCursor: true, clearOnComplete: true, linewrap: false, stream: process.stderr },
    Presets.shades_grey,
  );
  bar.start(1, 0, { label: '', left: '' });
  return bar;
}

// The bar redraws its own line: what is to stay is written over it, and the bar comes again below.
function keepAbove(line: string): void {
  process.stderr.write(`\r\u001B[K${line}\n`);
}
