import {
  drainNsMin,
  idHeaderOf,
  numberOf,
  publisherParameters,
  publisherPlan,
  demand,
  streamParameters,
  streamSpec,
  textOf,
} from './parameters.ts';
import type { ParameterValues, Workload, WorkloadPlan } from './workload.ts';

export const publish: Workload = {
  name: 'publish',
  doc:
    'What does deduplication cost the publisher? Messages with unique ids at a set rate (open loop) or as fast as the window of ' +
    'unanswered publishes allows (closed loop, for ceilings only), against a duplicate window. The control header of the ' +
    'same size separates the price of the id from the price of a longer message.',
  parameters: {
    rate: {
      kind: 'rate',
      doc: 'Messages a second over all publishers; a closed loop ignores it.',
      default: '10k/s',
      smoke: '2k/s',
    },
    window: { kind: 'duration', doc: "The stream's duplicate window.", default: '2m', smoke: '2m' },
    loop: {
      kind: 'choice',
      doc: 'open: by the clock, whatever the target does. closed: as many as may be in flight.',
      default: 'open',
      smoke: 'open',
      choices: ['open', 'closed'],
    },
    duration: { kind: 'duration', doc: 'Length of the measured phase.', default: '3s', smoke: '200ms' },
    warmup: {
      kind: 'duration',
      doc: 'Same load before it, not in the figures.',
      default: '500ms',
      smoke: '50ms',
    },
    ...publisherParameters,
    ...streamParameters,
  },
  plan(values: ParameterValues): WorkloadPlan {
    const isOpen = textOf(values, 'loop') === 'open';
    const ratePerSecond = numberOf(values, 'rate');
    demand(!isOpen || ratePerSecond > 0, 'rate', `${ratePerSecond}/s`, 'sends nothing in an open loop');
    const warmupNs = numberOf(values, 'warmup');
    const measureNs = numberOf(values, 'duration');
    const stream = streamSpec(values, 'limits');
    return {
      stream,
      consumer: null,
      preloadCount: 0,
      publisher: publisherPlan(values, {
        loop: isOpen ? 'open' : 'closed',
        stages: [{ ratePerSecond, durationNs: warmupNs + measureNs }],
        messageCount: 0,
        retry: null,
      }),
      consumerWork: null,
      warmupNs,
      measureNs,
      drainNs: drainNsMin,
      audit: {
        windowNs: stream.duplicate_window,
        retention: 'kept',
        mustBeDelivered: false,
        deduplicated: idHeaderOf(values) === 'message-id',
        ordered: true,
      },
    };
  },
};
