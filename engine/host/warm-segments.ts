// The first write to a page of fresh memory costs the kernel some microseconds, a third of what a publish takes. A
// thread of its own writes to the pages of the next log segments before they are needed.

import { Worker } from 'node:worker_threads';

const readyMax = 2;

// Given as text, since the engine runs from TypeScript in tests and a worker cannot. One write in each page, a few
// tenths of a millisecond at a time with pauses between, so that on two cores nobody waits for it.
const toucher = `
const { parentPort } = require('node:worker_threads');
const never = new Int32Array(new SharedArrayBuffer(4));
const stepBytes = 64 * 4096;
parentPort.on('message', (memory) => {
  const bytes = new Uint8Array(memory);
  for (let at = 0; at < bytes.length; at += 4096) {
    bytes[at] = 0;
    if (at % stepBytes === 0) Atomics.wait(never, 0, 0, 0.5);
  }
  parentPort.postMessage(memory);
});
`;

/** Hands out memory for log segments; once it is started, from the third one on memory that was written to already. */
export class WarmSegments {
  readonly #ready: SharedArrayBuffer[] = [];
  #worker: Worker | null = null;
  #takenCount = 0;
  #pendingCount = 0;
  #byteCount = 0;

  /** Segments that can be handed out at once. */
  get readyCount(): number {
    return this.#ready.length;
  }

  /** Starts the thread, which takes some milliseconds: before there is load, not in the middle of it. */
  start(): void {
    this.#worker ??= this.#startWorker();
  }

  /** Zeroed bytes. */
  take(byteCount: number): Uint8Array {
    this.#takenCount += 1;
    const index = this.#ready.findIndex((memory) => memory.byteLength === byteCount);
    const [memory] = index < 0 ? [] : this.#ready.splice(index, 1);
    if (this.#takenCount > 1 && this.#worker !== null) this.#order(this.#worker, byteCount);
    return new Uint8Array(memory ?? new SharedArrayBuffer(byteCount));
  }

  close(): void {
    void this.#worker?.terminate();
    this.#worker = null;
    this.#ready.length = 0;
  }

  // Segments that one huge message needs are not made beforehand.
  #order(worker: Worker, byteCount: number): void {
    if (this.#byteCount === 0) this.#byteCount = byteCount;
    if (byteCount !== this.#byteCount) return;
    while (this.#ready.length + this.#pendingCount < readyMax) {
      this.#pendingCount += 1;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
      worker.postMessage(new SharedArrayBuffer(byteCount));
    }
  }

  #startWorker(): Worker {
    const worker = new Worker(toucher, {
      eval: true,
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 },
    });
    worker.on('message', (memory: SharedArrayBuffer) => {
      this.#pendingCount -= 1;
      this.#ready.push(memory);
    });
    // Without the thread segments are merely cold.
    worker.on('error', () => {
      this.#pendingCount = readyMax;
    });
    worker.unref(); // last, since a listener holds the process
    return worker;
  }
}
