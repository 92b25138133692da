import { Broker } from '../../engine/host/broker.ts';
import { resolveOptions } from '../../engine/mod.ts';
import { virtualTarget, type GoldenTarget, type VirtualServer } from './golden-target.ts';

export type EngineProfile = 'strict' | 'nats';

/** Answer blocks that hold for a profile: `nats` follows release 2.15.1. */
const engineLabels: Readonly<Record<EngineProfile, readonly string[]>> = {
  strict: ['strict'],
  nats: ['nats', '2.15.1'],
};

/** Opens the engine in this process under virtual time, fresh, with the given profile. */
export function openEngine(profile: EngineProfile): Promise<GoldenTarget> {
  return Promise.resolve(virtualTarget(new EngineServer(profile), engineLabels[profile]));
}

/** The broker without sockets, and a clock that moves when it is told. */
class EngineServer implements VirtualServer {
  readonly #broker: Broker;
  #nowNs = 0;

  constructor(profile: EngineProfile) {
    this.#broker = new Broker({
      server: resolveOptions({ jetstream: true, profile }, null),
      clock: { now: () => this.#nowNs, epoch: { unixSeconds: 1_800_000_000, nanos: 0 } },
      seed: profile,
      wake: () => {}, // the scripts give every turn themselves
    });
  }

  connect: VirtualServer['connect'] = ({ onBytes, onClose }) => {
    const connection = this.#broker.connect('127.0.0.1', { pendingBytes: 0, write: onBytes, close: onClose });
    return { send: (bytes) => connection.feed(bytes), close: () => connection.close() };
  };

  nowNs(): number {
    return this.#nowNs;
  }

  /** Timers on the way get their turn at the moment they are due. */
  advanceTo(atNs: number): void {
    this.#settle();
    while (this.#broker.nextTimerNs <= atNs) {
      this.#nowNs = Math.max(this.#nowNs, this.#broker.nextTimerNs);
      this.#settle();
    }
    this.#nowNs = Math.max(this.#nowNs, atNs);
    this.#settle();
  }

  #settle(): void {
    while (this.#broker.turn());
  }
}
