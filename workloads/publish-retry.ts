import {
  drainNsMin,
  idHeaderOf,
  numberOf,
  publisherParameters,
  publisherPlan,
  demand,
  streamParameters,
  streamSpec,
} from './parameters.ts';
import { retryPlan } from './retry-parameters.ts';
import type { ParameterValues, Workload, WorkloadPlan } from './workload.ts';

export const publishRetry: Workload = {
  name: 'publish-retry',
  doc:
    'How many duplicates leak when publishers retry for longer than the window? Some PubAcks are thrown away, and the same id is ' +
    'sent again after a delay, up to the retry horizon. A retry inside the window must be answered duplicate; one after it is ' +
    'stored a second time, which is the fault of the configuration, not of the server (articles A11).',
  parameters: {
    rate: {
      kind: 'rate',
      doc: 'First attempts a second over all publishers.',
      default: '2k/s',
      smoke: '1k/s',
    },
    window: { kind: 'duration', doc: "The stream's duplicate window.", default: '500ms', smoke: '100ms' },
    'retry-horizon': {
      kind: 'duration',
      doc: 'No attempt starts later than this after the first one of its id.',
      default: '1s',
      smoke: '200ms',
    },
    'retry-delay': {
      kind: 'distribution',
      doc: 'From an attempt to the next one of the same id.',
      default: 'uniform(50ms,950ms)',
      smoke: 'uniform(10ms,190ms)',
    },
    'lost-ack': {
      kind: 'fraction',
      doc: 'Chance that the publisher never sees a PubAck.',
      default: '10%',
      smoke: '20%',
    },
    attempts: {
      kind: 'count',
      doc: 'Attempts of one id at most, the first included.',
      default: '5',
      smoke: '3',
    },
    duration: { kind: 'duration', doc: 'Length of the measured phase.', default: '2s', smoke: '100ms' },
    warmup: {
      kind: 'duration',
      doc: 'Same load before it, not in the figures.',
      default: '200ms',
      smoke: '20ms',
    },
    ...publisherParameters,
    ...streamParameters,
  },
  plan(values: ParameterValues): WorkloadPlan {
    const ratePerSecond = numberOf(values, 'rate');
    demand(ratePerSecond > 0, 'rate', `${ratePerSecond}/s`, 'sends nothing');
    const warmupNs = numberOf(values, 'warmup');
    const measureNs = numberOf(values, 'duration');
    const stream = streamSpec(values, 'limits');
    const retry = retryPlan(values);
    return {
      stream,
      consumer: null,
      preloadCount: 0,
      publisher: publisherPlan(values, {
        loop: 'open',
        stages: [{ ratePerSecond, durationNs: warmupNs + measureNs }],
        messageCount: 0,
        retry,
      }),
      consumerWork: null,
      warmupNs,
      measureNs,
      drainNs: retry.horizonNs + drainNsMin,
      audit: {
        windowNs: stream.duplicate_window,
        retention: 'kept',
        mustBeDelivered: false,
        deduplicated: idHeaderOf(values) === 'message-id',
        ordered: false,
      },
    };
  },
};
