import { assert } from '../base/assert.ts';
import type { Nanos } from '../base/nanos.ts';

const none = -1;
const initialCapacity = 64;
const delayedList = 0;

/**
 * Deliveries of one consumer that wait for their ack, in columns: a row a message, no object.
 *
 * Rows are in three structures at once: a hash from stream sequence; one list in the order of first delivery, whose
 * head is what the ack floor waits for; and at most one waiting list. Within a waiting list all rows have the same
 * ack wait, so the list is in the order in which they fall due and its head is all a timer needs. List 0 is for
 * NAKs with a delay of their own and is kept in that order by insertion.
 */
export class PendingTable {
  sequence = new Float64Array(initialCapacity);
  firstConsumerSequence = new Float64Array(initialCapacity);
  deliveryCount = new Uint32Array(initialCapacity);
  /** When the message was last delivered or reported in progress; in list 0, when it is due. */
  activityNs = new Float64Array(initialCapacity);
  #orderNext = new Int32Array(initialCapacity);
  #orderPrevious = new Int32Array(initialCapacity);
  #waitNext = new Int32Array(initialCapacity);
  #waitPrevious = new Int32Array(initialCapacity);
  #waitList = new Int32Array(initialCapacity);
  #slots = new Int32Array(initialCapacity * 2).fill(none);
  #heads: number[] = [none];
  #tails: number[] = [none];
  #orderHead = none;
  #orderTail = none;
  #free = none;
  #rowsUsed = 0;
  count = 0;
  /** Rows delivered more than once. */
  redeliveredCount = 0;

  /** The row of a stream sequence, or -1. */
  find(sequence: number): number {
    const mask = this.#slots.length - 1;
    let slot = homeOf(sequence, mask);
    for (let row = this.#slots[slot] as number; row !== none; row = this.#slots[slot] as number) {
      if (this.sequence[row] === sequence) return row;
      slot = (slot + 1) & mask;
    }
    return none;
  }

  /** The row first delivered longest ago, or -1. */
  oldest(): number {
    return this.#orderHead;
  }

  /** The row first delivered next after `row`, or -1. */
  after(row: number): number {
    return this.#orderNext[row] as number;
  }

  /** A new row at the end of the order, delivered once; it waits in no list yet. */
  add(sequence: number, consumerSequence: number): number {
    const row = this.#takeRow();
    this.sequence[row] = sequence;
    this.firstConsumerSequence[row] = consumerSequence;
    this.deliveryCount[row] = 1;
    this.#waitList[row] = none;
    this.#orderNext[row] = none;
    this.#orderPrevious[row] = this.#orderTail;
    if (this.#orderTail === none) this.#orderHead = row;
    else this.#orderNext[this.#orderTail] = row;
    this.#orderTail = row;
    this.count += 1;
    if (this.count * 2 > this.#slots.length) this.#rehash();
    else this.#place(row);
    return row;
  }

  remove(row: number): void {
    this.stopWaiting(row);
    const next = this.#orderNext[row] as number;
    const previous = this.#orderPrevious[row] as number;
    if (previous === none) this.#orderHead = next;
    else this.#orderNext[previous] = next;
    if (next === none) this.#orderTail = previous;
    else this.#orderPrevious[next] = previous;
    if ((this.deliveryCount[row] as number) > 1) this.redeliveredCount -= 1;
    this.#removeSlot(row);
    this.#orderNext[row] = this.#free;
    this.#free = row;
    this.count -= 1;
  }

  countRedelivery(row: number): number {
    const deliveries = (this.deliveryCount[row] as number) + 1;
    this.deliveryCount[row] = deliveries;
    if (deliveries === 2) this.redeliveredCount += 1;
    return deliveries;
  }

  /** Starts (again) to wait, from now, in the list of rows with the same ack wait; lists count from 1. */
  wait(row: number, list: number, nowNs: Nanos): void {
    assert(list > delayedList, 'list 0 is for delays');
    this.stopWaiting(row);
    while (this.#heads.length <= list) {
      this.#heads.push(none);
      this.#tails.push(none);
    }
    this.activityNs[row] = nowNs;
    this.#linkBehind(row, list, this.#tails[list] as number);
  }

  /** Waits until a moment of its own. */
  waitUntil(row: number, dueNs: Nanos): void {
    this.stopWaiting(row);
    this.activityNs[row] = dueNs;
    let behind = this.#tails[delayedList] as number;
    while (behind !== none && (this.activityNs[behind] as number) > dueNs) {
      behind = this.#waitPrevious[behind] as number;
    }
    this.#linkBehind(row, delayedList, behind);
  }

  /** Moves every row that waits for its ack into the list that `listOf` gives for its deliveries; nothing starts anew. */
  relist(listOf: (deliveryCount: number) => number): void {
    const rows: number[] = [];
    for (let list = delayedList + 1; list < this.#heads.length; list += 1) {
      for (let row = this.#heads[list] as number; row !== none; row = this.#waitNext[row] as number) {
        rows.push(row);
      }
    }
    rows.sort((left, right) => (this.activityNs[left] as number) - (this.activityNs[right] as number));
    for (const row of rows) {
      this.wait(row, listOf(this.deliveryCount[row] as number), this.activityNs[row] as number);
    }
  }

  /** In no list: it waits in the redelivery queue instead. */
  stopWaiting(row: number): void {
    const list = this.#waitList[row] as number;
    if (list === none) return;
    const next = this.#waitNext[row] as number;
    const previous = this.#waitPrevious[row] as number;
    if (previous === none) this.#heads[list] = next;
    else this.#waitNext[previous] = next;
    if (next === none) this.#tails[list] = previous;
    else this.#waitPrevious[next] = previous;
    this.#waitList[row] = none;
  }

  isWaiting(row: number): boolean {
    return this.#waitList[row] !== none;
  }

  /** When the first row falls due, or Infinity. `waitsNs[k]` belongs to list k + 1. */
  nextDueNs(waitsNs: readonly Nanos[]): Nanos {
    let dueNs = Number.POSITIVE_INFINITY;
    for (let list = 0; list < this.#heads.length; list += 1) {
      const head = this.#heads[list] as number;
      if (head === none) continue;
      dueNs = Math.min(dueNs, (this.activityNs[head] as number) + waitOf(waitsNs, list));
    }
    return dueNs;
  }

  /** Takes the rows due at `nowNs` out of their lists, in stream order. */
  takeDue(waitsNs: readonly Nanos[], nowNs: Nanos): number[] {
    const due: number[] = [];
    for (let list = 0; list < this.#heads.length; list += 1) {
      const waitNs = waitOf(waitsNs, list);
      let head = this.#heads[list] as number;
      while (head !== none && (this.activityNs[head] as number) + waitNs <= nowNs) {
        this.stopWaiting(head);
        due.push(head);
        head = this.#heads[list] as number;
      }
    }
    return due.sort((left, right) => (this.sequence[left] as number) - (this.sequence[right] as number));
  }

  #linkBehind(row: number, list: number, behind: number): void {
    const next = behind === none ? (this.#heads[list] as number) : (this.#waitNext[behind] as number);
    this.#waitList[row] = list;
    this.#waitPrevious[row] = behind;
    this.#waitNext[row] = next;
    if (behind === none) this.#heads[list] = row;
    else this.#waitNext[behind] = row;
    if (next === none) this.#tails[list] = row;
    else this.#waitPrevious[next] = row;
  }

  #takeRow(): number {
    if (this.#free !== none) {
      const row = this.#free;
      this.#free = this.#orderNext[row] as number;
      return row;
    }
    if (this.#rowsUsed === this.sequence.length) this.#growColumns();
    this.#rowsUsed += 1;
    return this.#rowsUsed - 1;
  }

  #place(row: number): void {
    const mask = this.#slots.length - 1;
    let slot = homeOf(this.sequence[row] as number, mask);
    while (this.#slots[slot] !== none) slot = (slot + 1) & mask;
    this.#slots[slot] = row;
  }

  #removeSlot(row: number): void {
    const mask = this.#slots.length - 1;
    let gap = homeOf(this.sequence[row] as number, mask);
    while (this.#slots[gap] !== row) gap = (gap + 1) & mask;
    let slot = (gap + 1) & mask;
    for (let other = this.#slots[slot] as number; other !== none; other = this.#slots[slot] as number) {
      const home = homeOf(this.sequence[other] as number, mask);
      if (((slot - home) & mask) >= ((slot - gap) & mask)) {
        this.#slots[gap] = other;
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    this.#slots[gap] = none;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(none);
    for (let row = this.#orderHead; row !== none; row = this.#orderNext[row] as number) this.#place(row);
  }

  #growColumns(): void {
    const capacity = this.sequence.length * 2;
    this.sequence = copied(new Float64Array(capacity), this.sequence);
    this.firstConsumerSequence = copied(new Float64Array(capacity), this.firstConsumerSequence);
    this.deliveryCount = copied(new Uint32Array(capacity), this.deliveryCount);
    this.activityNs = copied(new Float64Array(capacity), this.activityNs);
    this.#orderNext = copied(new Int32Array(capacity), this.#orderNext);
    this.#orderPrevious = copied(new Int32Array(capacity), this.#orderPrevious);
    this.#waitNext = copied(new Int32Array(capacity), this.#waitNext);
    this.#waitPrevious = copied(new Int32Array(capacity), this.#waitPrevious);
    this.#waitList = copied(new Int32Array(capacity), this.#waitList);
  }
}

// Sequences in flight follow each other. Spread apart they leave gaps, at which a removal can stop looking for
// entries to move back; side by side they would be one long cluster.
function homeOf(sequence: number, mask: number): number {
  return (Math.imul(sequence, 0x9e3779b1) >>> 8) & mask;
}

function waitOf(waitsNs: readonly Nanos[], list: number): Nanos {
  if (list === delayedList) return 0;
  return waitsNs[Math.min(list, waitsNs.length) - 1] as number;
}

function copied<T extends Float64Array | Uint32Array | Int32Array>(target: T, source: T): T {
  target.set(source);
  return target;
}
