import type { Run } from '../results/run.ts';
import { trialOutcome } from './trial-outcome.ts';
import { Trial } from './trial-play.ts';
import { trialRecord } from './trial-record.ts';
import type { TrialProgress, TrialRequest } from './trial-request.ts';

export type { TrialProgress, TrialRequest } from './trial-request.ts';

/**
 * Carries out one trial and gives its record. A target that cannot be opened, dies, or a generator that cannot
 * keep up still gives a record, with verdict `invalid` or `unknown` and the reason among its caveats. Only a
 * broken contract of ours (AssertionError) is thrown. The target is closed in every case.
 */
export async function runTrial(
  request: TrialRequest,
  onProgress: (progress: TrialProgress) => void = ignore,
): Promise<Run> {
  const startedAt = new Date().toISOString();
  const startHrtimeNs = process.hrtime.bigint();
  const trial = new Trial(request, onProgress);
  await trial.play();
  const durationNs = Number(process.hrtime.bigint() - startHrtimeNs);
  return trialRecord(request, { ...trialOutcome(request, trial), startedAt, durationNs });
}

function ignore(): void {}
