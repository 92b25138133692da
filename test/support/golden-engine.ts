import type { GoldenTarget } from './golden-target.ts';

export type EngineProfile = 'strict' | 'nats';

/**
 * Opens the engine in this process under virtual time, fresh, with the given profile; null while there is none.
 * To plug it in: a `VirtualServer` around the engine, given to `virtualTarget` with the labels of `engineLabels`.
 */
export const openEngine: ((profile: EngineProfile) => Promise<GoldenTarget>) | null = null;

/** Answer blocks that hold for a profile: `nats` follows release 2.15.1. */
export const engineLabels: Readonly<Record<EngineProfile, readonly string[]>> = {
  strict: ['strict'],
  nats: ['nats', '2.15.1'],
};
