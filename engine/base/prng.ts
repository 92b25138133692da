import { assert } from './assert.ts';

/**
 * Seeded generator (xoshiro128**). Every decision by chance in engine, workloads and simulation draws from
 * one that was passed in, so that a seed replays a run. Not for secrets.
 */
export class Prng {
  readonly #seed: string;
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number | string) {
    this.#seed = String(seed);
    const next = textMixer(this.#seed);
    this.#a = next();
    this.#b = next();
    this.#c = next();
    this.#d = next() | 1; // the all-zero state would repeat zero for ever
  }

  /** An independent generator whose stream depends on this one's seed and the label alone. */
  fork(label: string): Prng {
    return new Prng(`${this.#seed}/${label}`);
  }

  /** Uniform in 0 … 2^32 - 1. */
  uint32(): number {
    const scrambled = Math.imul(rotateLeft(Math.imul(this.#b, 5), 7), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotateLeft(this.#d, 11);
    return scrambled >>> 0;
  }

  /** Uniform integer in min … max, both included. */
  int(min: number, max: number): number {
    assert(Number.isSafeInteger(min) && Number.isSafeInteger(max), 'int bounds are integers');
    assert(min <= max, 'int needs min <= max');
    const span = max - min + 1;
    if (span > 0x1_0000_0000) return min + Math.floor(this.unit() * span);
    return min + (this.uint32() % span);
  }

  /** Uniform in [0, 1) with 53 bits. For durations and rates, never for engine decisions. */
  unit(): number {
    return (this.uint32() * 0x20_0000 + (this.uint32() >>> 11)) / 0x20_0000_0000_0000;
  }

  /** True with the given probability (0 … 1). */
  chance(probability: number): boolean {
    if (probability <= 0) return false;
    return probability >= 1 || this.uint32() < probability * 0x1_0000_0000;
  }

  pick<T>(items: readonly T[]): T {
    assert(items.length > 0, 'pick from an empty list');
    return items[this.int(0, items.length - 1)] as T;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = this.int(0, last);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

// FNV-1a over the text, then a finaliser for each word asked for.
function textMixer(text: string): () => number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return mixed ^ (mixed >>> 16);
  };
}
