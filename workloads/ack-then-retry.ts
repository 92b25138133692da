import {
  drainNsMin,
  numberOf,
  publisherParameters,
  publisherPlan,
  demand,
  streamParameters,
  streamSpec,
} from './parameters.ts';
import { retryPlan } from './retry-parameters.ts';
import type { ParameterValues, Workload, WorkloadPlan } from './workload.ts';

export const ackThenRetry: Workload = {
  name: 'ack-then-retry',
  doc:
    'Does an ack free the message id? In a work queue the message is consumed, double-acked and gone; then the same id is sent ' +
    'again. The window is a clock, not a ledger: inside it the resend is refused as a duplicate of a message that no longer ' +
    'exists, after it the resend is stored and worked on a second time (articles B1).',
  parameters: {
    rate: {
      kind: 'rate',
      doc: 'First attempts a second over all publishers.',
      default: '500/s',
      smoke: '500/s',
    },
    window: { kind: 'duration', doc: "The stream's duplicate window.", default: '500ms', smoke: '150ms' },
    'lost-ack': {
      kind: 'fraction',
      doc: 'Share of ids that are sent again: their PubAck is thrown away.',
      default: '50%',
      smoke: '50%',
    },
    'retry-delay': {
      kind: 'distribution',
      doc: 'From an attempt to the next one of the same id; longer than a message takes to be consumed.',
      default: 'uniform(100ms,950ms)',
      smoke: 'uniform(50ms,250ms)',
    },
    'retry-horizon': {
      kind: 'duration',
      doc: 'No attempt starts later than this after the first one of its id.',
      default: '1s',
      smoke: '300ms',
    },
    attempts: {
      kind: 'count',
      doc: 'Attempts of one id at most, the first included.',
      default: '2',
      smoke: '2',
    },
    prefetch: { kind: 'count', doc: 'Messages asked for in one pull.', default: '32', smoke: '32' },
    'ack-wait': { kind: 'duration', doc: 'AckWait of the consumer.', default: '5s', smoke: '5s' },
    duration: { kind: 'duration', doc: 'Length of the measured phase.', default: '2s', smoke: '100ms' },
    ...publisherParameters,
    ...streamParameters,
  },
  plan(values: ParameterValues): WorkloadPlan {
    const ratePerSecond = numberOf(values, 'rate');
    demand(ratePerSecond > 0, 'rate', `${ratePerSecond}/s`, 'sends nothing');
    const prefetch = numberOf(values, 'prefetch');
    demand(prefetch >= 1, 'prefetch', prefetch, 'asks for nothing');
    const measureNs = numberOf(values, 'duration');
    const stream = streamSpec(values, 'workqueue');
    const retry = retryPlan(values);
    const publisher = publisherPlan(values, {
      loop: 'open',
      stages: [{ ratePerSecond, durationNs: measureNs }],
      messageCount: 0,
      retry,
    });
    return {
      stream,
      consumer: { durable_name: 'workers', ack_policy: 'explicit', ack_wait: numberOf(values, 'ack-wait') },
      preloadCount: 0,
      publisher,
      consumerWork: {
        consumerCount: 1,
        prefetch,
        handling: { kind: 'fixed', valueNs: 0 },
        acknowledge: 'double-ack',
        lostAckProbability: 0,
        crashProbability: 0,
        restartDelayNs: 0,
      },
      warmupNs: 0,
      measureNs,
      drainNs: retry.horizonNs + drainNsMin,
      audit: {
        windowNs: stream.duplicate_window,
        retention: 'removed-on-ack',
        mustBeDelivered: true,
        deduplicated: publisher.idHeader === 'message-id',
        ordered: false,
      },
    };
  },
};
