import { second } from '../engine/base/nanos.ts';
import type { Nanos } from '../engine/base/nanos.ts';
import { meanNs } from './distribution.ts';
import {
  distributionOf,
  drainNsMin,
  numberOf,
  publisherParameters,
  publisherPlan,
  demand,
  streamParameters,
  streamSpec,
  textOf,
} from './parameters.ts';
import type {
  ConsumerPlan,
  ConsumerSpec,
  ParameterValues,
  PublisherPlan,
  Workload,
  WorkloadPlan,
} from './workload.ts';

const drainNsMax: Nanos = 60 * second;

export const consume: Workload = {
  name: 'consume',
  doc:
    'When are messages delivered again? Up to `prefetch` messages wait in the client and are handled one by one, so each is ' +
    'acked after prefetch x handling: above AckWait it is handled twice (articles A6). Acks may get lost and ' +
    'consumers may die before them. The stream is filled beforehand, fed at a rate, or both.',
  parameters: {
    preload: {
      kind: 'count',
      doc: 'Messages in the stream before the clock starts.',
      default: '2k',
      smoke: '100',
    },
    rate: {
      kind: 'rate',
      doc: 'Messages published a second while consumers work.',
      default: '0/s',
      smoke: '0/s',
    },
    prefetch: {
      kind: 'count',
      doc: 'Messages that wait in the client while one is handled.',
      default: '50',
      smoke: '10',
    },
    handling: {
      kind: 'distribution',
      doc: 'Time that one message takes; one at a time for each consumer.',
      default: '1ms',
      smoke: '1ms',
    },
    'ack-wait': {
      kind: 'duration',
      doc: 'How long the server waits for an ack before it delivers again.',
      default: '500ms',
      smoke: '200ms',
    },
    ack: {
      kind: 'choice',
      doc: 'ack: sent and forgotten. double-ack: the server confirms it. none: the consumer has ack policy none.',
      default: 'ack',
      smoke: 'ack',
      choices: ['ack', 'double-ack', 'none'],
    },
    'lost-ack': { kind: 'fraction', doc: 'Chance that an ack is never sent.', default: '0', smoke: '0' },
    crash: { kind: 'fraction', doc: 'Chance of dying between handling and ack.', default: '0', smoke: '0' },
    'restart-delay': {
      kind: 'duration',
      doc: 'From a crash to the next pull.',
      default: '100ms',
      smoke: '20ms',
    },
    consumers: { kind: 'count', doc: 'Workers that share the consumer.', default: '1', smoke: '1' },
    'ack-pending-max': {
      kind: 'count',
      doc: 'Unacked messages that the server allows over all workers.',
      default: '10k',
      smoke: '10k',
    },
    retention: {
      kind: 'choice',
      doc: 'limits keeps acked messages, workqueue removes them.',
      default: 'limits',
      smoke: 'limits',
      choices: ['limits', 'workqueue'],
    },
    window: { kind: 'duration', doc: "The stream's duplicate window.", default: '2m', smoke: '2m' },
    duration: { kind: 'duration', doc: 'Length of the measured phase.', default: '2s', smoke: '150ms' },
    ...publisherParameters,
    ...streamParameters,
  },
  plan(values: ParameterValues): WorkloadPlan {
    const retention = textOf(values, 'retention') === 'workqueue' ? 'workqueue' : 'limits';
    const work = workOf(values);
    const isBare = work.acknowledge === 'none';
    demand(
      !isBare || retention === 'limits',
      'ack',
      'none',
      'cannot empty a work queue; use retention limits',
    );
    const measureNs = numberOf(values, 'duration');
    const publisher = feeding(values, measureNs);
    const stream = streamSpec(values, retention);
    const consumer = consumerOf(values, work);
    return {
      stream,
      consumer,
      preloadCount: numberOf(values, 'preload'),
      preloadBytes: numberOf(values, 'payload'),
      publisher,
      consumerWork: work,
      warmupNs: 0,
      measureNs,
      drainNs: drainFor(values, work),
      audit: {
        windowNs: stream.duplicate_window,
        retention: retention === 'limits' ? 'kept' : 'removed-on-ack',
        mustBeDelivered: true,
        deduplicated: true,
        ordered: true,
      },
    };
  },
};

function workOf(values: ParameterValues): ConsumerPlan {
  const acknowledge = textOf(values, 'ack');
  const consumerCount = numberOf(values, 'consumers');
  demand(consumerCount >= 1, 'consumers', consumerCount, 'consumes nothing');
  const prefetch = numberOf(values, 'prefetch');
  demand(prefetch >= 1, 'prefetch', prefetch, 'asks for nothing');
  return {
    consumerCount,
    prefetch,
    handling: distributionOf(values, 'handling'),
    acknowledge: acknowledge === 'none' || acknowledge === 'double-ack' ? acknowledge : 'ack',
    lostAckProbability: numberOf(values, 'lost-ack'),
    crashProbability: numberOf(values, 'crash'),
    restartDelayNs: numberOf(values, 'restart-delay'),
  };
}

function consumerOf(values: ParameterValues, work: ConsumerPlan): ConsumerSpec {
  if (work.acknowledge === 'none') return { durable_name: 'workers', ack_policy: 'none' };
  return {
    durable_name: 'workers',
    ack_policy: 'explicit',
    ack_wait: numberOf(values, 'ack-wait'),
    max_ack_pending: numberOf(values, 'ack-pending-max'),
  };
}

function feeding(values: ParameterValues, measureNs: Nanos): PublisherPlan | null {
  const ratePerSecond = numberOf(values, 'rate');
  const preloadCount = numberOf(values, 'preload');
  demand(
    ratePerSecond > 0 || preloadCount > 0,
    'preload',
    preloadCount,
    'and rate 0/s leave nothing to consume',
  );
  // Built in any case, so that a parameter out of range is refused whether or not it is used.
  const plan = publisherPlan(values, {
    loop: 'open',
    stages: [{ ratePerSecond, durationNs: measureNs }],
    messageCount: 0,
    retry: null,
  });
  return ratePerSecond > 0 ? plan : null;
}

// Twice the work there is, some redeliveries, and a restart for each crash expected.
function drainFor(values: ParameterValues, work: ConsumerPlan): Nanos {
  const fed = (numberOf(values, 'rate') * numberOf(values, 'duration')) / second;
  const messageCount = numberOf(values, 'preload') + fed;
  const workNs = (messageCount * meanNs(work.handling)) / work.consumerCount;
  const restartsNs = (messageCount * work.crashProbability * work.restartDelayNs) / work.consumerCount;
  return Math.min(drainNsMax, drainNsMin + 2 * (workNs + restartsNs) + 4 * numberOf(values, 'ack-wait'));
}
