import { assert } from '../base/assert.ts';
import { hashBytes, latin1Text } from '../base/bytes.ts';

const initialCapacity = 16;

/**
 * The subjects of the messages a stream holds, each as a small number, with what per-subject limits and look-ups
 * need: how many messages, the first and the last. Names are byte strings (one character a byte); a subject with
 * no message left gives its number back.
 */
export class SubjectTable {
  #names: (string | undefined)[] = [];
  #hashes = new Uint32Array(initialCapacity);
  #slots = new Int32Array(initialCapacity * 2).fill(-1);
  #freeIds: number[] = [];
  #lastId = -1;
  messageCount = new Float64Array(initialCapacity);
  firstSequence = new Float64Array(initialCapacity);
  lastSequence = new Float64Array(initialCapacity);
  /** Subjects with at least one message. */
  size = 0;

  /** The number of the subject in `bytes[start … end)`, given to it now if it is new. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    if (this.#lastId >= 0 && this.#isName(this.#lastId, bytes, start, end)) return this.#lastId;
    const hash = hashBytes(bytes, start, end, 0);
    let slot = hash & (this.#slots.length - 1);
    for (let id = this.#slots[slot] as number; id >= 0; id = this.#slots[slot] as number) {
      if (this.#hashes[id] === hash && this.#isName(id, bytes, start, end)) {
        this.#lastId = id;
        return id;
      }
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    return this.#add(latin1Text(bytes, start, end), hash);
  }

  /** The number of a subject given as byte string, or -1. */
  find(name: string): number {
    const bytes = new Uint8Array(name.length);
    for (let index = 0; index < name.length; index += 1) bytes[index] = name.charCodeAt(index);
    return this.findBytes(bytes, 0, bytes.length);
  }

  /** The number of the subject in `bytes[start … end)`, or -1. */
  findBytes(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashBytes(bytes, start, end, 0);
    let slot = hash & (this.#slots.length - 1);
    for (let id = this.#slots[slot] as number; id >= 0; id = this.#slots[slot] as number) {
      if (this.#hashes[id] === hash && this.#isName(id, bytes, start, end)) return id;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    return -1;
  }

  /** The byte string of a number in use. */
  name(id: number): string {
    const name = this.#names[id];
    assert(name !== undefined, 'a subject number in use has a name');
    return name;
  }

  /** One message fewer; `nextFirst` and `nextLast` are the ends of what is left. Frees the subject at zero. */
  release(id: number, nextFirst: number, nextLast: number): void {
    const left = (this.messageCount[id] as number) - 1;
    assert(left >= 0, 'a subject has no fewer than zero messages');
    this.messageCount[id] = left;
    this.firstSequence[id] = nextFirst;
    this.lastSequence[id] = nextLast;
    if (left === 0) this.#free(id);
  }

  /** Every subject with a message, in no promised order. */
  *ids(): Iterable<number> {
    for (let id = 0; id < this.#names.length; id += 1) {
      if (this.#names[id] !== undefined) yield id;
    }
  }

  #isName(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    const name = this.#names[id];
    if (name === undefined || name.length !== end - start) return false;
    for (let index = 0; index < name.length; index += 1) {
      if (name.charCodeAt(index) !== bytes[start + index]) return false;
    }
    return true;
  }

  #add(name: string, hash: number): number {
    const id = this.#freeIds.pop() ?? this.#names.length;
    if (id >= this.messageCount.length) this.#growColumns();
    this.#names[id] = name;
    this.#hashes[id] = hash;
    this.messageCount[id] = 0;
    this.firstSequence[id] = 0;
    this.lastSequence[id] = 0;
    this.size += 1;
    if (this.size * 2 > this.#slots.length) this.#rehash(this.#slots.length * 2);
    else this.#place(id);
    this.#lastId = id;
    return id;
  }

  #free(id: number): void {
    this.#removeSlot(id);
    this.#names[id] = undefined;
    this.#freeIds.push(id);
    this.size -= 1;
    if (this.#lastId === id) this.#lastId = -1;
  }

  #place(id: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes[id] as number) & mask;
    while ((this.#slots[slot] as number) >= 0) slot = (slot + 1) & mask;
    this.#slots[slot] = id;
  }

  // Linear probing without tombstones: entries behind the gap move back as long as that shortens their way.
  #removeSlot(id: number): void {
    const mask = this.#slots.length - 1;
    let gap = (this.#hashes[id] as number) & mask;
    while (this.#slots[gap] !== id) gap = (gap + 1) & mask;
    let slot = (gap + 1) & mask;
    for (let other = this.#slots[slot] as number; other >= 0; other = this.#slots[slot] as number) {
      const home = (this.#hashes[other] as number) & mask;
      if (((slot - home) & mask) >= ((slot - gap) & mask)) {
        this.#slots[gap] = other;
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    this.#slots[gap] = -1;
  }

  #rehash(slotCount: number): void {
    this.#slots = new Int32Array(slotCount).fill(-1);
    for (const id of this.ids()) this.#place(id);
  }

  #growColumns(): void {
    const capacity = this.messageCount.length * 2;
    this.#hashes = grown(new Uint32Array(capacity), this.#hashes);
    this.messageCount = grown(new Float64Array(capacity), this.messageCount);
    this.firstSequence = grown(new Float64Array(capacity), this.firstSequence);
    this.lastSequence = grown(new Float64Array(capacity), this.lastSequence);
  }
}

function grown<T extends Uint32Array | Float64Array>(target: T, source: T): T {
  target.set(source);
  return target;
}
