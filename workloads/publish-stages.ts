import {
  drainNsMin,
  idHeaderOf,
  publisherParameters,
  publisherPlan,
  demand,
  stagesOf,
  streamParameters,
  streamSpec,
} from './parameters.ts';
import type { ParameterValues, Workload, WorkloadPlan } from './workload.ts';

export const publishStages: Workload = {
  name: 'publish-stages',
  doc:
    'Does memory come back after a burst? Stages of different rates, pauses included, against a duplicate window: the memory ' +
    'series over burst, trickle and idle shows what a map of ids keeps (articles B3).',
  parameters: {
    stages: {
      kind: 'stages',
      doc: 'Rates and how long each lasts, over all publishers; 0/s is a pause.',
      default: '10k/s@1s,500/s@1s,0/s@1s',
      smoke: '2k/s@100ms,0/s@50ms,500/s@50ms',
    },
    window: { kind: 'duration', doc: "The stream's duplicate window.", default: '1s', smoke: '100ms' },
    ...publisherParameters,
    ...streamParameters,
  },
  plan(values: ParameterValues): WorkloadPlan {
    const stages = stagesOf(values, 'stages');
    const isSending = stages.some((stage) => stage.ratePerSecond > 0 && stage.durationNs > 0);
    demand(isSending, 'stages', 'all of them', 'send nothing');
    const stream = streamSpec(values, 'limits');
    return {
      stream,
      consumer: null,
      preloadCount: 0,
      publisher: publisherPlan(values, { loop: 'open', stages, messageCount: 0, retry: null }),
      consumerWork: null,
      warmupNs: 0,
      measureNs: stages.reduce((sum, stage) => sum + stage.durationNs, 0),
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
