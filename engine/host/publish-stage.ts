// Publishes of one socket chunk, noted as places in it and worked off together: first all message ids are hashed,
// then the dedup window is touched for all of them, then each is decided. One by one, every publish would wait for
// a cache miss of its own.

import type { Stream } from '../core/stream.ts';
import type { PublishFrame } from '../wire/client-frames.ts';

const rowsMax = 1024;

/** Decides one staged publish; `hash` is that of its message id, 0 when it has none. */
export type DecidePublish = (
  stream: Stream,
  frame: PublishFrame,
  idStart: number,
  idEnd: number,
  hasControl: boolean,
  hash: number,
) => void;

export class PublishStage {
  readonly #decide: DecidePublish;
  readonly #streams: Stream[] = [];
  readonly #subjectStart = new Int32Array(rowsMax);
  readonly #subjectEnd = new Int32Array(rowsMax);
  readonly #replyStart = new Int32Array(rowsMax);
  readonly #replyEnd = new Int32Array(rowsMax);
  readonly #headerStart = new Int32Array(rowsMax);
  readonly #payloadStart = new Int32Array(rowsMax);
  readonly #payloadEnd = new Int32Array(rowsMax);
  readonly #idStart = new Int32Array(rowsMax);
  readonly #idEnd = new Int32Array(rowsMax);
  readonly #hash = new Int32Array(rowsMax);
  readonly #hasControl = new Uint8Array(rowsMax);
  readonly #frame: PublishFrame;
  #bytes: Uint8Array;
  /** Deciding; what is published in the course of it cannot be staged. */
  isWorking = false;
  count = 0;
  /** Keeps the touched values in use, so that touching is not optimised away. */
  touched = 0;

  constructor(decide: DecidePublish) {
    this.#decide = decide;
    this.#bytes = new Uint8Array(0);
    this.#frame = {
      bytes: this.#bytes,
      subjectStart: 0,
      subjectEnd: 0,
      replyStart: 0,
      replyEnd: 0,
      headerStart: 0,
      payloadStart: 0,
      payloadEnd: 0,
    };
  }

  /** Notes a publish; its bytes must stay as they are until `flush`. */
  add(stream: Stream, frame: PublishFrame, idStart: number, idEnd: number, hasControl: boolean): void {
    if (this.count === rowsMax || frame.bytes !== this.#bytes) this.flush();
    this.#bytes = frame.bytes;
    const row = this.count;
    this.count = row + 1;
    this.#streams[row] = stream;
    this.#subjectStart[row] = frame.subjectStart;
    this.#subjectEnd[row] = frame.subjectEnd;
    this.#replyStart[row] = frame.replyStart;
    this.#replyEnd[row] = frame.replyEnd;
    this.#headerStart[row] = frame.headerStart;
    this.#payloadStart[row] = frame.payloadStart;
    this.#payloadEnd[row] = frame.payloadEnd;
    this.#idStart[row] = idStart;
    this.#idEnd[row] = idEnd;
    this.#hasControl[row] = hasControl ? 1 : 0;
  }

  /** Decides everything noted, in the order in which it came. */
  flush(): void {
    if (this.count === 0 || this.isWorking) return;
    this.isWorking = true;
    this.#lookAhead();
    const frame = this.#frame;
    frame.bytes = this.#bytes;
    for (let row = 0; row < this.count; row += 1) {
      frame.subjectStart = this.#subjectStart[row] as number;
      frame.subjectEnd = this.#subjectEnd[row] as number;
      frame.replyStart = this.#replyStart[row] as number;
      frame.replyEnd = this.#replyEnd[row] as number;
      frame.headerStart = this.#headerStart[row] as number;
      frame.payloadStart = this.#payloadStart[row] as number;
      frame.payloadEnd = this.#payloadEnd[row] as number;
      this.#decide(
        this.#streams[row] as Stream,
        frame,
        this.#idStart[row] as number,
        this.#idEnd[row] as number,
        this.#hasControl[row] === 1,
        this.#hash[row] as number,
      );
    }
    this.count = 0;
    this.isWorking = false;
  }

  #lookAhead(): void {
    const bytes = this.#bytes;
    for (let row = 0; row < this.count; row += 1) {
      const start = this.#idStart[row] as number;
      const end = this.#idEnd[row] as number;
      this.#hash[row] = end > start ? (this.#streams[row] as Stream).dedup.hashOf(bytes, start, end) : 0;
    }
    let touched = 0;
    for (let row = 0; row < this.count; row += 1) {
      touched ^= (this.#streams[row] as Stream).dedup.touch(this.#hash[row] as number);
    }
    this.touched = touched;
  }
}
