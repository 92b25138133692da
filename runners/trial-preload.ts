import { Prng } from '../engine/base/prng.ts';
import { preloadPlan, preloadPublisher } from '../workloads/preload.ts';
import { PublisherDriver } from '../workloads/publisher-driver.ts';
import type { PublisherLedger } from '../workloads/publisher-ledger.ts';
import type { WorkloadPlan } from '../workloads/workload.ts';
import { TrialClock } from './trial-clock.ts';
import { ErrorCounts } from './trial-errors.ts';
import type { ErrorCount } from './trial-errors.ts';
import { LoadLoop } from './trial-loop.ts';
import { PublishFrames } from './wire/publish-frames.ts';
import { lanesFor } from './wire/wire-client.ts';
import type { WireConnection } from './wire/wire-connection.ts';
import { WirePublisher } from './wire/wire-publisher.ts';

// Preloads happen long before trial time 0, so their bodies carry no due moment and count in no latency.
const beforeTrialNs = 3_600_000_000_000n;

export interface PreloadRequest {
  /** With the trial's own subjects. */
  readonly plan: WorkloadPlan;
  readonly streamName: string;
  readonly connection: WireConnection;
  readonly seed: string;
  readonly trialKey: string;
  readonly signal: AbortSignal;
}

export interface Preload {
  /** The account of a publisher whose number follows those of the plan. */
  readonly ledger: PublisherLedger;
  readonly errors: readonly ErrorCount[];
}

/** Publishes `preloadCount` messages as fast as the target takes them; they are audited and not measured. */
export async function preload(request: PreloadRequest): Promise<Preload> {
  const { connection, seed, trialKey } = request;
  const plan = preloadPlan(request.plan);
  const publisher = preloadPublisher(request.plan);
  const clock = new TrialClock();
  clock.setStart(process.hrtime.bigint() + beforeTrialNs);
  const startNs = clock.nowNs();
  const driver = new PublisherDriver({
    plan,
    publisher: 0,
    prng: new Prng(seed).fork('preload'),
    phases: { startNs, warmupEndNs: startNs, measureEndNs: 0 },
  });
  const frames = new PublishFrames({
    ...plan,
    // Where no publisher of the plan names it, the subject is not this trial's own yet.
    subject: request.plan.publisher === null ? `${request.streamName}.${plan.subject}` : plan.subject,
    inbox: connection.inbox,
    publisher,
    trialKey,
    seed,
  });
  const errors = new ErrorCounts();
  let loop: LoadLoop | null = null;
  const member = new WirePublisher({
    connection,
    driver,
    frames,
    lanes: lanesFor(plan),
    errors,
    nowNs: () => clock.nowNs(),
    wakeBy: (atNs) => loop?.wakeBy(atNs),
  });
  loop = new LoadLoop(clock, [member], () => request.signal.aborted);
  await loop.run();
  return { ledger: { ...driver.finish(clock.nowNs()), publisher }, errors: errors.toArray() };
}
