import type { CompletePlan } from './plan-resolve.ts';

/**
 * What `oncemark run` does when nobody says otherwise: all workloads on the embedded engine, publish rate against
 * window, lost acks against the window, handling time against AckWait. Under 90 s on two cores.
 */
export const defaultPlan: CompletePlan = {
  name: 'default',
  seed: '1',
  repeats: 1,
  client: 'wire',
  workers: 1,
  order: 'interleaved',
  targets: ['engine'],
  smoke: false,
  trials: [
    { workload: 'publish', parameters: {} },
    { workload: 'publish-retry', parameters: {} },
    { workload: 'consume', parameters: {} },
    { workload: 'ack-then-retry', parameters: {} },
  ],
};
