import { lineEnd } from './frame-arguments.ts';

const keptBytesMax = 262_144;

/**
 * Gives chunks to a reader of frames. Whole frames are read where they lie in the chunk; only one that crosses chunks is
 * put together in a carry, and no more is copied than completes it.
 */
export class FrameFeed {
  /** The reader sets this to the length of the incomplete frame once its control line tells; 0 until then. */
  frameBytes = 0;
  readonly #read: (bytes: Uint8Array, start: number, end: number) => number;
  #carry = new Uint8Array(0);
  #length = 0;

  /** `read` takes all whole frames in `start` … `end` and returns where the first incomplete one starts, or `end`. */
  constructor(read: (bytes: Uint8Array, start: number, end: number) => number) {
    this.#read = read;
  }

  feed(chunk: Uint8Array): void {
    const start = this.#length === 0 ? 0 : this.#complete(chunk);
    if (start === chunk.length) return;
    const end = this.#read(chunk, start, chunk.length);
    if (end < chunk.length) this.#append(chunk, end, chunk.length);
  }

  // Ends with an empty carry, or with the chunk used up.
  #complete(chunk: Uint8Array): number {
    let at = 0;
    while (this.#length > 0 && at < chunk.length) {
      const end = this.#endOfMissing(chunk, at);
      this.#append(chunk, at, end);
      at = end;
      if (this.#length < this.frameBytes) return at;
      this.frameBytes = 0;
      if (this.#read(this.#carry, 0, this.#length) === this.#length) this.#clear();
    }
    return at;
  }

  #endOfMissing(chunk: Uint8Array, at: number): number {
    if (this.frameBytes > 0) return Math.min(chunk.length, at + this.frameBytes - this.#length);
    const end = lineEnd(chunk, at, chunk.length);
    return end === -1 ? chunk.length : end;
  }

  #append(chunk: Uint8Array, start: number, end: number): void {
    const length = this.#length + end - start;
    if (length > this.#carry.length || this.frameBytes > this.#carry.length) {
      const grown = new Uint8Array(Math.max(length, this.frameBytes, Math.min(2 * length, 4096)));
      grown.set(this.#carry.subarray(0, this.#length));
      this.#carry = grown;
    }
    this.#carry.set(chunk.subarray(start, end), this.#length);
    this.#length = length;
  }

  #clear(): void {
    this.#length = 0;
    if (this.#carry.length > keptBytesMax) this.#carry = new Uint8Array(0);
  }
}
