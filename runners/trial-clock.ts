/**
 * Nanoseconds since the start of the trial, negative before it. Built on `process.hrtime`, which all threads of
 * a process share, so that a consumer in one thread can subtract the due time of a publisher in another.
 * The start is set once everybody is connected.
 */
export class TrialClock {
  #startHrtimeNs = 0n;

  setStart(startHrtimeNs: bigint): void {
    this.#startHrtimeNs = startHrtimeNs;
  }

  nowNs(): number {
    return Number(process.hrtime.bigint() - this.#startHrtimeNs);
  }
}
