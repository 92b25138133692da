// The attempts that wait for their PubAck: a ring of typed arrays addressed by attempt number. Any two open attempts differ
// by less than the capacity, so that a caller may use attempt modulo capacity as a lane of its own.

const settled = 0;
const open = 1;
const expired = 2;

export class OpenAttempts {
  /** A power of two, at least twice the window: attempts that stay open long do not block the others at once. */
  readonly capacity: number;
  readonly counters: Float64Array;
  readonly attemptsOfId: Uint16Array;
  readonly dueNs: Float64Array;
  readonly sentNs: Float64Array;
  /** Of the id's first attempt. */
  readonly firstDueNs: Float64Array;
  readonly firstSentNs: Float64Array;
  /** Row in the list of retries; of no meaning for first attempts. */
  readonly rows: Float64Array;
  readonly #numbers: Float64Array;
  readonly #states: Uint8Array;
  readonly #mask: number;
  #oldest = 0;
  #next = 0;
  #openCount = 0;

  constructor(inFlightMax: number) {
    this.capacity = 2 ** Math.ceil(Math.log2(Math.max(2 * inFlightMax, 16)));
    this.#mask = this.capacity - 1;
    this.counters = new Float64Array(this.capacity);
    this.attemptsOfId = new Uint16Array(this.capacity);
    this.dueNs = new Float64Array(this.capacity);
    this.sentNs = new Float64Array(this.capacity);
    this.firstDueNs = new Float64Array(this.capacity);
    this.firstSentNs = new Float64Array(this.capacity);
    this.rows = new Float64Array(this.capacity);
    this.#numbers = new Float64Array(this.capacity).fill(-1);
    this.#states = new Uint8Array(this.capacity);
  }

  /** Number of the next attempt. */
  get next(): number {
    return this.#next;
  }

  get openCount(): number {
    return this.#openCount;
  }

  /** No room although the window may have some: the oldest attempt has been open for too many others. */
  get isFull(): boolean {
    return this.#next - this.#oldest >= this.capacity;
  }

  /** Cell of the oldest open attempt, or -1. */
  get oldestCell(): number {
    return this.#openCount === 0 ? -1 : this.#oldest & this.#mask;
  }

  get oldest(): number {
    return this.#oldest;
  }

  /** Opens the next attempt and returns its cell, for the caller to fill. */
  open(): number {
    const cell = this.#next & this.#mask;
    this.#numbers[cell] = this.#next;
    this.#states[cell] = open;
    this.#next += 1;
    this.#openCount += 1;
    return cell;
  }

  /** Cell of an attempt that is open, -1 when it was settled before, -2 when it had timed out. */
  cellOf(attempt: number): number {
    const cell = attempt & this.#mask;
    if (this.#numbers[cell] !== attempt) return -1;
    const state = this.#states[cell] as number;
    if (state === open) return cell;
    return state === expired ? -2 : -1;
  }

  close(cell: number, isExpired: boolean): void {
    this.#states[cell] = isExpired ? expired : settled;
    this.#openCount -= 1;
    while (this.#oldest < this.#next && this.#states[this.#oldest & this.#mask] !== open) this.#oldest += 1;
  }

  forEachOpen(visit: (cell: number) => void): void {
    for (let attempt = this.#oldest; attempt < this.#next; attempt += 1) {
      if (this.#states[attempt & this.#mask] === open) visit(attempt & this.#mask);
    }
  }
}
