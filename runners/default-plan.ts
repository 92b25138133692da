import type { CompletePlan } from './plan-resolve.ts';

/**
 * What `oncemark run` does when nobody says otherwise: the embedded engine under publish rate against window, the
 * window against the retry horizon, AckWait against handling time, and ids sent again after their message was
 * acked. Under 90 s on two cores.
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
    {
      workload: 'publish',
      parameters: {
        rate: '5k/s..45k/s:x3',
        window: ['250ms', '1s', '2m'],
        duration: '2500ms',
        warmup: '500ms',
      },
    },
    {
      workload: 'publish-retry',
      parameters: { window: ['100ms', '300ms', '600ms', '1s'], duration: '1s', 'lost-ack': '20%' },
    },
    {
      workload: 'consume',
      parameters: { 'ack-wait': ['20ms', '40ms', '80ms', '500ms'], preload: '1200', duration: '1200ms' },
    },
    { workload: 'ack-then-retry', parameters: { window: ['300ms', '2s'], rate: '1k/s', duration: '1200ms' } },
  ],
};
