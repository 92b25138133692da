// The log is the store (DESIGN D4): a message's bytes are written once, into a segment, and everything else
// points at them. A place in the log is a segment number and an offset in it; segment 0 means "nowhere".

import { assert } from '../base/assert.ts';

/** A stretch of the log. Its bytes never change once the batch that wrote them is sealed. */
export interface Segment {
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Bytes in use, the open batch included. */
  usedBytes: number;
  /** Bytes of records that an index still points at. */
  liveBytes: number;
}

/** What the core needs of a log; the memory log is here, one on disk belongs to the host. */
export interface MessageLog {
  /** The segment that the open batch is written into. */
  readonly tail: Segment;
  /** Bytes of all segments held. */
  readonly heldBytes: number;
  segment(number: number): Segment;
  /** Begins a new tail with room for at least `bytesMin`. The old one is never written again. */
  roll(bytesMin: number): Segment;
  /** Tells the log that `byteCount` bytes in that segment are pointed at (positive) or no longer (negative). */
  adjustLive(segmentNumber: number, byteCount: number): void;
}

/** Zeroed memory for a segment. */
export type SegmentMemory = (byteCount: number) => Uint8Array;

// Shared memory, though nobody shares it: V8 does not count it against the heap. As ordinary memory, every few
// segments would start a collection of everything.
const plainMemory: SegmentMemory = (byteCount) => new Uint8Array(new SharedArrayBuffer(byteCount));

const segmentBytesDefault = 8 * 1024 * 1024;
const sparesMax = 2;

/** Segments in memory. Sealed ones are dropped when nothing in them is live, and a few are kept for reuse. */
export class MemoryLog implements MessageLog {
  readonly #segmentBytes: number;
  readonly #memory: SegmentMemory;
  readonly #segments = new Map<number, Segment>();
  readonly #spares: Uint8Array[] = [];
  #lastNumber = 0;
  #tail: Segment;
  #recent: Segment;
  heldBytes = 0;

  constructor(segmentBytes: number = segmentBytesDefault, memory: SegmentMemory = plainMemory) {
    this.#segmentBytes = segmentBytes;
    this.#memory = memory;
    this.#tail = this.#open(segmentBytes);
    this.#recent = this.#tail;
  }

  get tail(): Segment {
    return this.#tail;
  }

  segment(number: number): Segment {
    if (this.#recent.number === number) return this.#recent;
    const segment = this.#segments.get(number);
    assert(segment !== undefined, `log segment ${number} was dropped while in use`);
    this.#recent = segment;
    return segment;
  }

  roll(bytesMin: number): Segment {
    const sealed = this.#tail;
    this.#tail = this.#open(Math.max(this.#segmentBytes, bytesMin));
    if (sealed.liveBytes === 0) this.#drop(sealed);
    return this.#tail;
  }

  adjustLive(segmentNumber: number, byteCount: number): void {
    const segment = this.segment(segmentNumber);
    segment.liveBytes += byteCount;
    assert(segment.liveBytes >= 0, 'a log segment holds no fewer than zero live bytes');
    if (segment.liveBytes === 0 && segment !== this.#tail) this.#drop(segment);
  }

  #open(byteCount: number): Segment {
    const spare = byteCount === this.#segmentBytes ? this.#spares.pop() : undefined;
    const bytes = spare ?? this.#memory(byteCount);
    this.#lastNumber += 1;
    const segment: Segment = {
      number: this.#lastNumber,
      bytes,
      view: new DataView(bytes.buffer),
      usedBytes: 0,
      liveBytes: 0,
    };
    this.#segments.set(segment.number, segment);
    this.heldBytes += byteCount;
    return segment;
  }

  #drop(segment: Segment): void {
    this.#segments.delete(segment.number);
    this.heldBytes -= segment.bytes.length;
    if (this.#recent === segment) this.#recent = this.#tail;
    if (segment.bytes.length === this.#segmentBytes && this.#spares.length < sparesMax) {
      this.#spares.push(segment.bytes);
    }
  }
}
