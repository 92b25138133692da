import { assert } from '../base/assert.ts';
import { hashBytes, latin1Bytes, sameBytes } from '../base/bytes.ts';

const dot = 46;

/** A place in the trie: everything subscribed to one pattern, and the ways on from there. */
export class PatternNode<T> {
  readonly token: Uint8Array;
  readonly parent: PatternNode<T> | null;
  /** Unlike any other node's, so that a list of nodes can be told from another by numbers. */
  readonly id: number;
  readonly plain: T[] = [];
  queues: Map<string, T[]> | null = null;
  /** Literal tokens by the hash of their bytes; those of one hash are linked by `sibling`. */
  literals: Map<number, PatternNode<T>> | null = null;
  sibling: PatternNode<T> | null = null;
  anyOne: PatternNode<T> | null = null;
  anyRest: PatternNode<T> | null = null;

  constructor(token: Uint8Array, parent: PatternNode<T> | null, id: number) {
    this.token = token;
    this.parent = parent;
    this.id = id;
  }

  get hasSubscribers(): boolean {
    return this.plain.length > 0 || this.queues !== null;
  }

  get isEmpty(): boolean {
    return !this.hasSubscribers && this.literals === null && this.anyOne === null && this.anyRest === null;
  }

  join(queue: string, subscriber: T): void {
    this.queues ??= new Map();
    const members = this.queues.get(queue);
    if (members === undefined) this.queues.set(queue, [subscriber]);
    else members.push(subscriber);
  }

  disband(queue: string): void {
    this.queues?.delete(queue);
    if (this.queues?.size === 0) this.queues = null;
  }
}

/** Subscribers by pattern, one trie level a token. Matching reads bytes and allocates nothing. */
export class SubjectTrie<T> {
  /** Nodes with subscribers whose pattern matched in the last `match`; valid until the next. */
  readonly matched: PatternNode<T>[] = [];
  readonly #seed: number;
  #root: PatternNode<T>;
  #nextId = 1;
  #subscriptionCount = 0;
  #frontier: PatternNode<T>[] = [];
  #following: PatternNode<T>[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.#root = new PatternNode<T>(new Uint8Array(0), null, 0);
  }

  get subscriptionCount(): number {
    return this.#subscriptionCount;
  }

  /** The pattern is valid (isValidSubject). */
  add(pattern: string, queue: string | null, subscriber: T): void {
    let node = this.#root;
    for (const token of pattern.split('.')) node = this.#child(node, token) ?? this.#grow(node, token);
    if (queue === null) node.plain.push(subscriber);
    else node.join(queue, subscriber);
    this.#subscriptionCount += 1;
  }

  /** Takes back one `add` with the same arguments, which must have happened. */
  remove(pattern: string, queue: string | null, subscriber: T): void {
    let node: PatternNode<T> | null = this.#root;
    for (const token of pattern.split('.')) {
      node = this.#child(node, token);
      assert(node !== null, `nobody subscribed to ${pattern}`);
    }
    const members = queue === null ? node.plain : node.queues?.get(queue);
    const position = members === undefined ? -1 : members.indexOf(subscriber);
    assert(members !== undefined && position >= 0, `that subscriber is not on ${pattern}`);
    members.splice(position, 1);
    if (queue !== null && members.length === 0) node.disband(queue);
    this.#subscriptionCount -= 1;
    this.#prune(node);
  }

  /**
   * Fills `matched` for a subject; a subject with an empty token matches nothing (spec 1.3). True when every
   * subject that differs in its last token alone gives the same.
   */
  match(bytes: Uint8Array, start: number, end: number): boolean {
    this.matched.length = 0;
    this.#frontier.length = 0;
    this.#frontier.push(this.#root);
    let tokenStart = start;
    for (;;) {
      let tokenEnd = tokenStart;
      while (tokenEnd < end && bytes[tokenEnd] !== dot) tokenEnd += 1;
      if (tokenEnd === tokenStart) {
        this.matched.length = 0;
        return false;
      }
      if (tokenEnd === end) return this.#matchLast(bytes, tokenStart, end);
      this.#advance(bytes, tokenStart, tokenEnd);
      tokenStart = tokenEnd + 1;
    }
  }

  #matchLast(bytes: Uint8Array, tokenStart: number, tokenEnd: number): boolean {
    const isUniform = this.#frontierIgnoresLiterals();
    this.#advance(bytes, tokenStart, tokenEnd);
    for (const node of this.#frontier) if (node.hasSubscribers) this.matched.push(node);
    return isUniform;
  }

  #frontierIgnoresLiterals(): boolean {
    for (const node of this.#frontier) if (node.literals !== null) return false;
    return true;
  }

  #advance(bytes: Uint8Array, tokenStart: number, tokenEnd: number): void {
    const following = this.#following;
    following.length = 0;
    for (const node of this.#frontier) {
      if (node.anyRest !== null) this.matched.push(node.anyRest);
      if (node.anyOne !== null) following.push(node.anyOne);
      if (node.literals === null) continue;
      const literal = this.#literal(node, bytes, tokenStart, tokenEnd);
      if (literal !== null) following.push(literal);
    }
    this.#following = this.#frontier;
    this.#frontier = following;
  }

  #literal(node: PatternNode<T>, bytes: Uint8Array, start: number, end: number): PatternNode<T> | null {
    let child = node.literals?.get(hashBytes(bytes, start, end, this.#seed) | 0) ?? null;
    while (child !== null) {
      const { token } = child;
      if (token.length === end - start && sameBytes(token, 0, bytes, start, token.length)) return child;
      child = child.sibling;
    }
    return null;
  }

  #child(node: PatternNode<T>, text: string): PatternNode<T> | null {
    if (text === '*') return node.anyOne;
    if (text === '>') return node.anyRest;
    const token = latin1Bytes(text);
    return this.#literal(node, token, 0, token.length);
  }

  #grow(parent: PatternNode<T>, text: string): PatternNode<T> {
    const token = latin1Bytes(text);
    const node = new PatternNode<T>(token, parent, this.#nextId);
    this.#nextId += 1;
    if (text === '*') parent.anyOne = node;
    else if (text === '>') parent.anyRest = node;
    else {
      const hash = hashBytes(token, 0, token.length, this.#seed) | 0;
      parent.literals ??= new Map();
      node.sibling = parent.literals.get(hash) ?? null;
      parent.literals.set(hash, node);
    }
    return node;
  }

  #prune(leaf: PatternNode<T>): void {
    let node = leaf;
    while (node.isEmpty && node.parent !== null) {
      this.#detach(node, node.parent);
      node = node.parent;
    }
  }

  #detach(node: PatternNode<T>, parent: PatternNode<T>): void {
    if (parent.anyOne === node) parent.anyOne = null;
    else if (parent.anyRest === node) parent.anyRest = null;
    else this.#detachLiteral(node, parent);
  }

  #detachLiteral(node: PatternNode<T>, parent: PatternNode<T>): void {
    const hash = hashBytes(node.token, 0, node.token.length, this.#seed) | 0;
    const { literals } = parent;
    let previous = literals?.get(hash);
    assert(literals !== null && previous !== undefined, 'a literal node hangs under its hash');
    if (previous !== node) {
      while (previous.sibling !== null && previous.sibling !== node) previous = previous.sibling;
      previous.sibling = node.sibling;
    } else if (node.sibling === null) literals.delete(hash);
    else literals.set(hash, node.sibling);
    if (literals.size === 0) parent.literals = null;
  }
}
