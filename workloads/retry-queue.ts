import type { Nanos } from '../engine/base/nanos.ts';

/** One retry that waits for its moment. */
export interface Retry {
  dueNs: Nanos;
  counter: number;
  attemptOfId: number;
  firstDueNs: Nanos;
  firstSentNs: Nanos;
}

const width = 5;

/** Retries by due moment: a binary heap of five numbers an entry in one array, so that a retry costs no object. */
export class RetryQueue {
  #cells = new Float64Array(width * 64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Due moment of the earliest; Infinity when there is none. */
  get dueNs(): Nanos {
    return this.#length === 0 ? Infinity : (this.#cells[0] as number);
  }

  push(retry: Readonly<Retry>): void {
    if ((this.#length + 1) * width > this.#cells.length) this.#grow();
    let position = this.#length;
    this.#length += 1;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if ((this.#cells[parent * width] as number) <= retry.dueNs) break;
      this.#move(parent, position);
      position = parent;
    }
    const at = position * width;
    this.#cells[at] = retry.dueNs;
    this.#cells[at + 1] = retry.counter;
    this.#cells[at + 2] = retry.attemptOfId;
    this.#cells[at + 3] = retry.firstDueNs;
    this.#cells[at + 4] = retry.firstSentNs;
  }

  /** Takes the earliest into `out`; false when there is none. */
  pop(out: Retry): boolean {
    if (this.#length === 0) return false;
    out.dueNs = this.#cells[0] as number;
    out.counter = this.#cells[1] as number;
    out.attemptOfId = this.#cells[2] as number;
    out.firstDueNs = this.#cells[3] as number;
    out.firstSentNs = this.#cells[4] as number;
    this.#length -= 1;
    this.#sinkLast();
    return true;
  }

  // The last entry takes the place of the first and sinks below all earlier ones.
  #sinkLast(): void {
    const last = this.#length;
    const lastDueNs = this.#cells[last * width] as number;
    let position = 0;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#dueAt(child + 1) < this.#dueAt(child)) child += 1;
      if (lastDueNs <= this.#dueAt(child)) break;
      this.#move(child, position);
      position = child;
    }
    this.#move(last, position);
  }

  #dueAt(position: number): Nanos {
    return this.#cells[position * width] as number;
  }

  #move(from: number, to: number): void {
    this.#cells.copyWithin(to * width, from * width, from * width + width);
  }

  #grow(): void {
    const larger = new Float64Array(this.#cells.length * 2);
    larger.set(this.#cells);
    this.#cells = larger;
  }
}
