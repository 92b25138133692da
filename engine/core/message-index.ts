import { assert } from '../base/assert.ts';
import type { Nanos } from '../base/nanos.ts';

const chunkEntries = 4096;

/** Columns for 4096 sequences in a row. Segment 0 marks a sequence that is not stored (any more). */
export interface IndexChunk {
  readonly segment: Uint32Array;
  readonly offset: Uint32Array;
  readonly subjectId: Uint32Array;
  readonly storedNs: Float64Array;
  /** Neighbours on the same subject; 0 at the ends. */
  readonly previousOnSubject: Float64Array;
  readonly nextOnSubject: Float64Array;
  liveCount: number;
}

/** From stream sequence to the place of the message in the log: 36 bytes a message, none of them on the heap. */
export class MessageIndex {
  readonly #chunks = new Map<number, IndexChunk>();
  #recentKey = -1;
  #recent: IndexChunk | undefined;
  #tailKey = -1;
  #tail: IndexChunk | undefined;

  /** The chunk that holds a sequence, or undefined when nothing near it is stored. */
  chunk(sequence: number): IndexChunk | undefined {
    const key = Math.floor(sequence / chunkEntries);
    if (key === this.#tailKey) return this.#tail;
    if (key !== this.#recentKey) {
      this.#recent = this.#chunks.get(key);
      this.#recentKey = key;
    }
    return this.#recent;
  }

  has(sequence: number): boolean {
    const chunk = this.chunk(sequence);
    return chunk !== undefined && chunk.segment[slotOf(sequence)] !== 0;
  }

  /** The chunk for a sequence to be written, made when it is the first of its stretch. */
  append(sequence: number): IndexChunk {
    const key = Math.floor(sequence / chunkEntries);
    if (key === this.#tailKey && this.#tail !== undefined) return this.#tail;
    if (this.#tail?.liveCount === 0) this.#chunks.delete(this.#tailKey);
    const chunk = this.#chunks.get(key) ?? emptyChunk();
    this.#chunks.set(key, chunk);
    this.#tail = chunk;
    this.#tailKey = key;
    this.#recentKey = -1;
    return chunk;
  }

  /** Marks a sequence as not stored; gives the chunk back to the collector when it was the last in it. */
  remove(sequence: number): void {
    const key = Math.floor(sequence / chunkEntries);
    const chunk = this.chunk(sequence);
    assert(chunk !== undefined, 'a removed message was stored');
    chunk.segment[slotOf(sequence)] = 0;
    chunk.liveCount -= 1;
    if (chunk.liveCount > 0 || key === this.#tailKey) return;
    this.#chunks.delete(key);
    this.#recentKey = -1;
  }

  /** The first stored sequence at or behind `sequence`, up to `last`; 0 when there is none. */
  nextStored(sequence: number, last: number): number {
    let at = sequence;
    while (at <= last) {
      const chunk = this.chunk(at);
      if (chunk === undefined || chunk.liveCount === 0) {
        at = (Math.floor(at / chunkEntries) + 1) * chunkEntries;
        continue;
      }
      const stop = Math.min(last, (Math.floor(at / chunkEntries) + 1) * chunkEntries - 1);
      for (; at <= stop; at += 1) if (chunk.segment[slotOf(at)] !== 0) return at;
    }
    return 0;
  }

  storedNs(sequence: number): Nanos {
    const chunk = this.chunk(sequence);
    assert(chunk !== undefined, 'a stored message has an index entry');
    return chunk.storedNs[slotOf(sequence)] as number;
  }
}

/** Where a sequence lies in the columns of its chunk. */
export function slotOf(sequence: number): number {
  return sequence % chunkEntries;
}

function emptyChunk(): IndexChunk {
  return {
    segment: new Uint32Array(chunkEntries),
    offset: new Uint32Array(chunkEntries),
    subjectId: new Uint32Array(chunkEntries),
    storedNs: new Float64Array(chunkEntries),
    previousOnSubject: new Float64Array(chunkEntries),
    nextOnSubject: new Float64Array(chunkEntries),
    liveCount: 0,
  };
}
