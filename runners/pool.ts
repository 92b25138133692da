import { Piscina } from 'piscina';
import type { Transport } from './transport.ts';
import { clientFor } from './trial-clients.ts';
import { generateLoad } from './trial-generate.ts';
import type { ShareResult, TrialShare } from './trial-share.ts';

const isSource = import.meta.url.endsWith('.ts');

/**
 * Threads that a trial is dealt out to. Targets inside this process are loaded from its main thread, and so is
 * everything when we run from TypeScript sources, which a worker of Node 20 cannot load.
 */
export function threadCountFor(workerCount: number, isInProcess: boolean): number {
  return isInProcess || isSource ? 1 : workerCount;
}

/**
 * Plays all shares at the same time and gives their results. Rejects with the first that fails: the caller stops the
 * others through their control block.
 */
export async function playShares(
  shares: readonly TrialShare[],
  connect: (() => Transport) | null,
): Promise<ShareResult[]> {
  if (connect !== null || isSource) {
    return Promise.all(shares.map((share) => generateLoad(share, clientFor(share.client, connect))));
  }
  const pool = new Piscina<TrialShare, ShareResult>({
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: shares.length,
    maxThreads: shares.length,
  });
  try {
    return await Promise.all(shares.map((share) => pool.run(share)));
  } finally {
    await pool.destroy();
  }
}
