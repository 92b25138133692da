import type { Nanos } from '../engine/base/nanos.ts';

/** The pulls of a consumer that are not filled yet. A server fills them in the order they were issued. */
export class PullLog {
  readonly #issuedNs: Nanos[] = [];
  readonly #remaining: number[] = [];
  #outstanding = 0;

  /** Messages asked for and not yet delivered. */
  get outstanding(): number {
    return this.#outstanding;
  }

  issue(count: number, nowNs: Nanos): void {
    this.#issuedNs.push(nowNs);
    this.#remaining.push(count);
    this.#outstanding += count;
  }

  /** A message came: when the pull that brought it was issued, or NaN when none is known to be open. */
  fill(): Nanos {
    const issuedNs = this.#issuedNs[0];
    const remaining = this.#remaining[0];
    if (issuedNs === undefined || remaining === undefined) return Number.NaN;
    this.#outstanding -= 1;
    this.#remaining[0] = remaining - 1;
    if (remaining === 1) this.#dropOldest();
    return issuedNs;
  }

  endOldest(): void {
    const remaining = this.#remaining[0];
    if (remaining === undefined) return;
    this.#outstanding -= remaining;
    this.#dropOldest();
  }

  clear(): void {
    this.#issuedNs.length = 0;
    this.#remaining.length = 0;
    this.#outstanding = 0;
  }

  #dropOldest(): void {
    this.#issuedNs.shift();
    this.#remaining.shift();
  }
}
