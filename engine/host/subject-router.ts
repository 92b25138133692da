import { assert } from '../base/assert.ts';
import { latin1Bytes } from '../base/bytes.ts';
import { isValidSubject } from '../base/subject.ts';
import { SubjectCache } from './subject-cache.ts';
import type { PatternNode } from './subject-trie.ts';
import { SubjectTrie } from './subject-trie.ts';

const cacheEntryCount = 16_384;

/** A result, and the patterns it came from. Subjects that match the same patterns share one. */
interface Derived<T, R> {
  readonly nodes: readonly PatternNode<T>[];
  readonly result: R;
}

/**
 * Who gets a message: every plain subscriber, and of each queue group one member, whom the reader of the result
 * picks. `derive` makes a result from the plain subscribers and one list of members for each group, members of
 * several matching patterns together (spec 1.3). It is called once for each set of patterns that match together, and
 * again after any change. Subjects and patterns are taken as Latin-1 text.
 */
export class SubjectRouter<T, R> {
  readonly #derive: (plain: readonly T[], queues: readonly (readonly T[])[]) => R;
  readonly #trie: SubjectTrie<T>;
  readonly #cache: SubjectCache<R>;
  readonly #derived = new Map<number, Derived<T, R>[]>();

  /** `entryCountMax`, a power of two, bounds the subjects remembered; they are all dropped when there are more. */
  constructor(
    derive: (plain: readonly T[], queues: readonly (readonly T[])[]) => R,
    entryCountMax: number = cacheEntryCount,
  ) {
    const seed = (Math.random() * 0x1_0000_0000) | 0;
    this.#derive = derive;
    this.#trie = new SubjectTrie<T>(seed);
    this.#cache = new SubjectCache<R>(seed, entryCountMax);
  }

  get subscriptionCount(): number {
    return this.#trie.subscriptionCount;
  }

  /** The pattern is valid (`isValidSubject`); the same subscriber may be added several times. */
  add(pattern: string, queue: string | null, subscriber: T): void {
    assert(isValidSubject(pattern, true), `${pattern} cannot be subscribed to`);
    this.#trie.add(pattern, queue, subscriber);
    this.#forget();
  }

  /** Takes back one `add` with the same arguments, which must have happened. */
  remove(pattern: string, queue: string | null, subscriber: T): void {
    this.#trie.remove(pattern, queue, subscriber);
    this.#forget();
  }

  /** The result for the subject `bytes[start … end)`. A subject with an empty token has no subscribers. */
  route(bytes: Uint8Array, start: number, end: number): R {
    const entry = this.#cache.find(bytes, start, end);
    return entry !== 0 ? this.#cache.resultOf(entry) : this.#routeUncached(bytes, start, end);
  }

  matches(subject: string): R {
    const bytes = latin1Bytes(subject);
    return this.route(bytes, 0, bytes.length);
  }

  /** Whether anyone, plain or in a group, would get a message on the subject. */
  hasInterest(subject: string): boolean {
    const bytes = latin1Bytes(subject);
    this.#trie.match(bytes, 0, bytes.length);
    return this.#trie.matched.length > 0;
  }

  #routeUncached(bytes: Uint8Array, start: number, end: number): R {
    const isUniform = this.#trie.match(bytes, start, end);
    const result = this.#resultFor(this.#trie.matched);
    this.#cache.insert(bytes, start, end, isUniform, result);
    return result;
  }

  #resultFor(nodes: readonly PatternNode<T>[]): R {
    let hash = nodes.length;
    for (const node of nodes) hash = Math.imul(hash ^ node.id, 0x01000193);
    const bucket = this.#derived.get(hash);
    const known = bucket?.find((candidate) => sameNodes(candidate.nodes, nodes));
    if (known !== undefined) return known.result;
    const fresh: Derived<T, R> = { nodes: [...nodes], result: this.#deriveFrom(nodes) };
    if (bucket === undefined) this.#derived.set(hash, [fresh]);
    else bucket.push(fresh);
    return fresh.result;
  }

  #deriveFrom(nodes: readonly PatternNode<T>[]): R {
    const plain: T[] = [];
    const groups = new Map<string, T[]>();
    for (const node of nodes) {
      for (const subscriber of node.plain) plain.push(subscriber);
      for (const [queue, members] of node.queues ?? []) {
        groups.set(queue, [...(groups.get(queue) ?? []), ...members]);
      }
    }
    return this.#derive(plain, [...groups.values()]);
  }

  #forget(): void {
    this.#cache.clear();
    this.#derived.clear();
  }
}

function sameNodes<T>(left: readonly PatternNode<T>[], right: readonly PatternNode<T>[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) if (left[index] !== right[index]) return false;
  return true;
}
