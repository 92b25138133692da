import { setTimeout as pause } from 'node:timers/promises';
import { formatCount, formatRate } from '../results/format.ts';
import type { WorkloadPlan } from '../workloads/workload.ts';
import { reportConsumer } from './setup.ts';
import type { TrialGround } from './setup.ts';
import type { TrialClock } from './trial-clock.ts';
import type { TrialControl } from './trial-control.ts';
import { phaseTimes } from './trial-share.ts';
import type { TrialProgress } from './trial-request.ts';

const turnMs = 25;
const reportEveryNs = 250e6;
const askEveryNs = 100e6;
// What the server has counted as acknowledged may still be on its way to the consumer as a confirmation.
const settleMs = 50;

export interface WatchedTrial {
  readonly ground: TrialGround;
  readonly control: TrialControl;
  readonly clock: TrialClock;
  readonly shareCount: number;
  readonly signal: AbortSignal;
  /** Becomes true when every share has come back, whatever the reason. */
  readonly areSharesBack: () => boolean;
  readonly onProgress: (progress: TrialProgress) => void;
}

export interface WatchEnd {
  /** Consumers were given, and have acknowledged, everything there was. */
  readonly isDrained: boolean;
  readonly wasAborted: boolean;
}

/** Follows a running trial until its work is done, its time is over, it is aborted, or its threads have come back. */
export async function watchTrial(trial: WatchedTrial): Promise<WatchEnd> {
  const { plan } = trial.ground;
  const { measureEndNs } = phaseTimes(plan);
  const mustWait = plan.publisher !== null || plan.audit.mustBeDelivered;
  const deadlineNs = mustWait ? measureEndNs + plan.drainNs : measureEndNs;
  let isDrained = false;
  let nextAskNs = 0;
  let nextReportNs = 0;
  for (;;) {
    await pause(turnMs);
    const nowNs = trial.clock.nowNs();
    if (trial.areSharesBack()) return { isDrained, wasAborted: trial.signal.aborted };
    if (nowNs >= nextReportNs) {
      nextReportNs = nowNs + reportEveryNs;
      trial.onProgress(progressAt(trial, plan, nowNs));
    }
    if (trial.signal.aborted) {
      await stopEarly(trial);
      return { isDrained, wasAborted: true };
    }
    const isPublished = trial.control.publishedCount >= trial.shareCount;
    if (isPublished && nowNs >= nextAskNs) {
      isDrained = await askDrained(trial.ground);
      nextAskNs = trial.clock.nowNs() + askEveryNs;
    }
    if ((isPublished && isDrained) || nowNs > deadlineNs) {
      await pause(settleMs);
      return { isDrained, wasAborted: false };
    }
  }
}

// Gives what is open a moment to be answered, so that little of what was done stays unknown.
async function stopEarly(trial: WatchedTrial): Promise<void> {
  trial.control.stopSending();
  const untilNs = trial.clock.nowNs() + 1e9;
  while (trial.clock.nowNs() < untilNs && trial.control.publishedCount < trial.shareCount) {
    await pause(turnMs);
  }
}

async function askDrained(ground: TrialGround): Promise<boolean> {
  try {
    const report = await reportConsumer(ground);
    if (report === null) return true;
    // Without acks everything stays "ack pending" for ever.
    const awaitsAcks = ground.plan.consumerWork?.acknowledge !== 'none';
    return report.pending === 0 && (report.ackPending === 0 || !awaitsAcks);
  } catch {
    return false; // asked again in the next turn, until the deadline
  }
}

function progressAt(trial: WatchedTrial, plan: WorkloadPlan, nowNs: number): TrialProgress {
  const { warmupEndNs, measureEndNs } = phaseTimes(plan);
  const { sent, settled, delivered } = trial.control.total();
  const perSecond = nowNs > 0 ? Math.max(settled, delivered) / (nowNs / 1e9) : 0;
  const phase = nowNs < warmupEndNs ? 'warmup' : nowNs < measureEndNs ? 'measure' : 'drain';
  const deliveries = plan.consumer === null ? '' : `, ${formatCount(delivered)} delivered`;
  return {
    phase,
    fraction: Math.min(1, Math.max(0, nowNs / (measureEndNs + plan.drainNs * 0.1))),
    note: `${formatRate(perSecond)}, ${formatCount(sent)} sent${deliveries}`,
  };
}
