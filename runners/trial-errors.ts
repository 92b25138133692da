/** How the sentence of a connection that ended on its own begins. */
export const connectionLost = 'connection lost';
/** Errors after which the accounts of a publisher are not to be used. */
export const outOfTurn = 'replies out of turn: their attempts cannot be told apart';
export const lanesExhausted = 'no reply lane left: too many attempts were never answered';

/** What went wrong, by sentence, with how often. Rare by nature, so a string for each is affordable. */
export class ErrorCounts {
  readonly #counts = new Map<string, number>();

  count(sentence: string): void {
    this.#counts.set(sentence, (this.#counts.get(sentence) ?? 0) + 1);
  }

  add(other: readonly ErrorCount[]): void {
    for (const { sentence, count } of other) {
      this.#counts.set(sentence, (this.#counts.get(sentence) ?? 0) + count);
    }
  }

  toArray(): ErrorCount[] {
    return [...this.#counts].map(([sentence, count]) => ({ sentence, count }));
  }
}

export interface ErrorCount {
  readonly sentence: string;
  readonly count: number;
}
