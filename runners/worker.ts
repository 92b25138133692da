// Entry of a worker thread: plays one share against a target that is reached over TCP.

import { move, transferableSymbol, valueSymbol } from 'piscina';
import { transferList } from '../workloads/publisher-ledger.ts';
import { clientFor } from './trial-clients.ts';
import { generateLoad } from './trial-generate.ts';
import type { TrialShare } from './trial-share.ts';

/** The result's typed arrays are moved to the thread that asked, not copied. */
export default async function playShare(share: TrialShare): Promise<unknown> {
  const result = await generateLoad(share, clientFor(share.client, null));
  return move({ [valueSymbol]: result, [transferableSymbol]: transferList(result) });
}
