import type { CompletePlan } from './plan-resolve.ts';

/**
 * The work behind the speed figures: ceilings of publish and pull-consume, and how late the generator is at a rate
 * that any target takes. 128-byte payload, unique 36-character ids, a PubAck for each message, memory storage.
 */
export function benchPlan(targets: readonly string[], pairs: number): CompletePlan {
  return {
    name: 'bench',
    seed: '1',
    repeats: pairs,
    client: 'wire',
    workers: 1,
    order: 'interleaved',
    targets,
    smoke: false,
    trials: [
      {
        workload: 'publish',
        parameters: { loop: 'closed', 'in-flight': '4096', payload: '128B', duration: '3s', warmup: '1s' },
      },
      {
        workload: 'consume',
        parameters: {
          preload: '600k',
          prefetch: '256',
          handling: '0ms',
          'ack-wait': '30s',
          payload: '128B',
          duration: '3s',
        },
      },
      { workload: 'publish', parameters: { rate: '20k/s', payload: '128B', duration: '3s', warmup: '1s' } },
    ],
  };
}
