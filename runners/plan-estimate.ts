import { meanNs } from '../workloads/distribution.ts';
import type { WorkloadPlan } from '../workloads/workload.ts';

/** What a trial will take: wall time, and memory on the target and in the generator together. */
export interface Estimate {
  readonly durationNs: number;
  readonly memoryBytes: number;
}

// Start, set-up and end of a target, and the rate at which messages are preloaded and read back.
const overheadNs = 1.2e9;
const bulkPerSecond = 200_000;
const drainUsualNs = 300e6;
const closedLoopPerSecond = 300_000;

// Resident bytes, from measurements of nats-server 2.15.1: an id of 36 characters, a stored message beside its body.
const idBytes = 300;
const messageOverheadBytes = 160;
const ledgerBytes = 25;

/** Pure: follows from the plan alone. Meant to be right within a factor of two. */
export function estimateTrial(plan: WorkloadPlan): Estimate {
  const published = publishedCount(plan);
  const messages = published + plan.preloadCount;
  const handlingNs = plan.consumerWork === null ? 0 : meanNs(plan.consumerWork.handling);
  const handledNs = (handlingNs * messages) / Math.max(1, plan.consumerWork?.consumerCount ?? 1);
  const activeNs = Math.max(
    plan.warmupNs + plan.measureNs,
    Math.min(handledNs, plan.warmupNs + plan.measureNs + plan.drainNs),
  );
  const bulkNs = ((plan.preloadCount + messages) / bulkPerSecond) * 1e9;
  return {
    durationNs: Math.round(overheadNs + activeNs + Math.min(plan.drainNs, drainUsualNs) + bulkNs),
    memoryBytes: Math.round(
      storedBytes(plan, messages) + idsHeld(plan, published) * idBytes + messages * ledgerBytes,
    ),
  };
}

function publishedCount(plan: WorkloadPlan): number {
  const publisher = plan.publisher;
  if (publisher === null) return 0;
  if (publisher.loop === 'open') {
    return publisher.stages.reduce((sum, stage) => sum + (stage.ratePerSecond * stage.durationNs) / 1e9, 0);
  }
  if (publisher.messageCount > 0) return publisher.messageCount;
  return ((plan.warmupNs + plan.measureNs) / 1e9) * closedLoopPerSecond;
}

function storedBytes(plan: WorkloadPlan, messages: number): number {
  const { stream } = plan;
  if (stream.storage === 'file') return 0;
  const kept = Math.min(
    messages,
    stream.max_msgs !== undefined && stream.max_msgs > 0 ? stream.max_msgs : messages,
  );
  const bytes = kept * ((plan.publisher?.payloadBytes ?? 128) + messageOverheadBytes);
  return stream.max_bytes !== undefined && stream.max_bytes > 0 ? Math.min(bytes, stream.max_bytes) : bytes;
}

function idsHeld(plan: WorkloadPlan, published: number): number {
  if (plan.publisher?.idHeader !== 'message-id') return 0;
  const activeNs = Math.max(1, plan.warmupNs + plan.measureNs);
  return published * Math.min(1, plan.stream.duplicate_window / activeNs);
}
