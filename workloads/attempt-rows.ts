// The attempts of a ledger while they grow: chunks of rows, so that a long run has no pauses for copying, with all cells of a row
// in one chunk, so that an attempt costs one look-up when it is sent and one when it ends.

import type { Nanos } from '../engine/base/nanos.ts';
import { believedFlag } from './publisher-ledger.ts';

const chunkBits = 16;
const chunkLength = 1 << chunkBits;
const chunkMask = chunkLength - 1;

class AttemptChunk {
  readonly outcomes = new Uint8Array(chunkLength);
  readonly sequences = new Float64Array(chunkLength);
  readonly sentNs = new Float64Array(chunkLength);
  readonly counters = new Float64Array(chunkLength);
}

export interface AttemptArrays {
  readonly outcomes: Uint8Array;
  readonly sequences: Float64Array;
  readonly sentNs: Float64Array;
  readonly counters: Float64Array;
}

export class AttemptRows {
  readonly #chunks: AttemptChunk[] = [];
  #last = new AttemptChunk();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds an open attempt of an operation; returns its row. */
  push(counter: number, sentNs: Nanos): number {
    const row = this.#length;
    const cell = row & chunkMask;
    if (cell === 0) this.#extend();
    this.#last.counters[cell] = counter;
    this.#last.sentNs[cell] = sentNs;
    this.#length += 1;
    return row;
  }

  /** How an attempt ended: outcome and flags, and the sequence of its PubAck. */
  end(row: number, outcome: number, sequence: number): void {
    const chunk = this.#chunks[row >>> chunkBits] as AttemptChunk;
    const cell = row & chunkMask;
    chunk.outcomes[cell] = (chunk.outcomes[cell] as number) | outcome;
    chunk.sequences[cell] = sequence;
  }

  /** The publisher believes the operation done whose first attempt this is. */
  believe(row: number): void {
    const { outcomes } = this.#chunks[row >>> chunkBits] as AttemptChunk;
    outcomes[row & chunkMask] = (outcomes[row & chunkMask] as number) | believedFlag;
  }

  /** All rows, each column in one array. */
  toArrays(): AttemptArrays {
    const length = this.#length;
    const arrays = {
      outcomes: new Uint8Array(length),
      sequences: new Float64Array(length),
      sentNs: new Float64Array(length),
      counters: new Float64Array(length),
    };
    this.#chunks.forEach((chunk, position) => {
      const start = position * chunkLength;
      const count = Math.min(chunkLength, length - start);
      arrays.outcomes.set(chunk.outcomes.subarray(0, count), start);
      arrays.sequences.set(chunk.sequences.subarray(0, count), start);
      arrays.sentNs.set(chunk.sentNs.subarray(0, count), start);
      arrays.counters.set(chunk.counters.subarray(0, count), start);
    });
    return arrays;
  }

  #extend(): void {
    if (this.#length > 0) this.#last = new AttemptChunk();
    this.#chunks.push(this.#last);
  }
}
