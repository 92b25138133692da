/** First in, first out, of stream sequences; grows by doubling, no allocation in between. */
export class SequenceQueue {
  #ring = new Float64Array(64);
  #head = 0;
  length = 0;

  push(sequence: number): void {
    if (this.length === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.length) % this.#ring.length] = sequence;
    this.length += 1;
  }

  /** The oldest one without taking it; 0 when empty. */
  peek(): number {
    return this.length === 0 ? 0 : (this.#ring[this.#head] as number);
  }

  /** The oldest one; 0 when empty. */
  shift(): number {
    if (this.length === 0) return 0;
    const sequence = this.#ring[this.#head] as number;
    this.#head = (this.#head + 1) % this.#ring.length;
    this.length -= 1;
    return sequence;
  }

  #grow(): void {
    const grown = new Float64Array(this.#ring.length * 2);
    for (let index = 0; index < this.length; index += 1) {
      grown[index] = this.#ring[(this.#head + index) % this.#ring.length] as number;
    }
    this.#ring = grown;
    this.#head = 0;
  }
}
