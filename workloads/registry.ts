import { ackThenRetry } from './ack-then-retry.ts';
import { consume } from './consume.ts';
import { publish } from './publish.ts';
import { publishRetry } from './publish-retry.ts';
import { publishStages } from './publish-stages.ts';
import type { Workload } from './workload.ts';

/** Every workload by its name: the single list. */
export const workloads = {
  publish,
  'publish-retry': publishRetry,
  'publish-stages': publishStages,
  consume,
  'ack-then-retry': ackThenRetry,
} as const satisfies Record<string, Workload>;
