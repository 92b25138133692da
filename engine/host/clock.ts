import { epochFromUnixMilliseconds, type Epoch, type Nanos } from '../base/nanos.ts';
import type { BrokerClock } from './broker.ts';

/** The machine's clock, read once for each thing that happens: a message costs no clock reading of its own. */
export class SystemClock implements BrokerClock {
  readonly epoch: Epoch = epochFromUnixMilliseconds(Date.now());
  readonly #startedAt = process.hrtime.bigint();
  #nowNs: Nanos = 0;

  /** Reads the clock; `now` answers this until the next reading. */
  refresh(): void {
    this.#nowNs = Number(process.hrtime.bigint() - this.#startedAt);
  }

  now(): Nanos {
    return this.#nowNs;
  }
}
