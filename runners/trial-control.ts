// What the threads of one trial share while it runs: who is ready, when it starts, when to stop, and how far it is.

const commands = { wait: 0, run: 1, stopSending: 2, stop: 3 } as const;

const commandCell = 0;
const readyCell = 1;
const doneCell = 2;
const wordBytes = 16;
const progressStart = wordBytes + 8;
const progressCells = 3;

/** Messages so far. */
export interface LoadProgress {
  readonly sent: number;
  readonly settled: number;
  readonly delivered: number;
}

export class TrialControl {
  /** Hand this to the other threads. */
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #start: BigInt64Array;
  readonly #progress: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, wordBytes / 4);
    this.#start = new BigInt64Array(memory, wordBytes, 1);
    this.#progress = new Float64Array(memory, progressStart);
  }

  static forShares(shareCount: number): TrialControl {
    return new TrialControl(new SharedArrayBuffer(progressStart + shareCount * progressCells * 8));
  }

  /** A share is connected and waits for the start. */
  reportReady(): void {
    Atomics.add(this.#words, readyCell, 1);
  }

  get readyCount(): number {
    return Atomics.load(this.#words, readyCell);
  }

  /** A share's publishers have sent all and heard of all. */
  reportPublished(): void {
    Atomics.add(this.#words, doneCell, 1);
  }

  get publishedCount(): number {
    return Atomics.load(this.#words, doneCell);
  }

  start(startHrtimeNs: bigint): void {
    Atomics.store(this.#start, 0, startHrtimeNs);
    this.#raise(commands.run);
  }

  /** `process.hrtime` of the start, or null while it is not decided. */
  get startHrtimeNs(): bigint | null {
    return Atomics.load(this.#words, commandCell) === commands.wait ? null : Atomics.load(this.#start, 0);
  }

  stopSending(): void {
    this.#raise(commands.stopSending);
  }

  get mustStopSending(): boolean {
    return Atomics.load(this.#words, commandCell) >= commands.stopSending;
  }

  stop(): void {
    this.#raise(commands.stop);
  }

  get mustStop(): boolean {
    return Atomics.load(this.#words, commandCell) === commands.stop;
  }

  report(share: number, progress: LoadProgress): void {
    const at = share * progressCells;
    this.#progress[at] = progress.sent;
    this.#progress[at + 1] = progress.settled;
    this.#progress[at + 2] = progress.delivered;
  }

  total(): LoadProgress {
    const sum = { sent: 0, settled: 0, delivered: 0 };
    for (let at = 0; at < this.#progress.length; at += progressCells) {
      sum.sent += this.#progress[at] as number;
      sum.settled += this.#progress[at + 1] as number;
      sum.delivered += this.#progress[at + 2] as number;
    }
    return sum;
  }

  #raise(command: number): void {
    if (command > Atomics.load(this.#words, commandCell)) Atomics.store(this.#words, commandCell, command);
  }
}
