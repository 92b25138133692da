// Messages known by sequence, from read-back and deliveries together. Needed where acks remove messages: what was consumed can
// only be proved by its delivery.

import type { Nanos } from '../engine/base/nanos.ts';

/** Receives messages in sequence order. */
export type StoredVisitor = (
  sequence: number,
  storedNs: Nanos,
  publisher: number,
  counter: number,
  crcRight: boolean,
) => void;

const known = 1;
const right = 2;

export class StoredTable {
  #publishers = new Uint16Array(1024);
  #counters = new Float64Array(1024);
  #storedNs = new Float64Array(1024);
  #flags = new Uint8Array(1024);
  #end = 0;

  /** The first word about a sequence counts. */
  note(sequence: number, storedNs: Nanos, publisher: number, counter: number, crcRight: boolean): void {
    if (sequence >= this.#flags.length) this.#grow(sequence);
    if (this.#flags[sequence] !== 0) return;
    this.#publishers[sequence] = publisher;
    this.#counters[sequence] = counter;
    this.#storedNs[sequence] = storedNs;
    this.#flags[sequence] = known | (crcRight ? right : 0);
    if (sequence >= this.#end) this.#end = sequence + 1;
  }

  forEach(visit: StoredVisitor): void {
    for (let sequence = 0; sequence < this.#end; sequence += 1) {
      const flags = this.#flags[sequence] as number;
      if (flags === 0) continue;
      const storedNs = this.#storedNs[sequence] as number;
      const publisher = this.#publishers[sequence] as number;
      visit(sequence, storedNs, publisher, this.#counters[sequence] as number, (flags & right) !== 0);
    }
  }

  #grow(sequence: number): void {
    const length = Math.max(sequence + 1, this.#flags.length * 2);
    this.#publishers = copyInto(new Uint16Array(length), this.#publishers);
    this.#counters = copyInto(new Float64Array(length), this.#counters);
    this.#storedNs = copyInto(new Float64Array(length), this.#storedNs);
    this.#flags = copyInto(new Uint8Array(length), this.#flags);
  }
}

function copyInto<T extends Uint8Array | Uint16Array | Float64Array>(larger: T, smaller: T): T {
  larger.set(smaller);
  return larger;
}
