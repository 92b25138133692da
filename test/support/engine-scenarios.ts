// What one stream and two consumers live through, made up by fast-check: their configurations and a list of operations
// for both the core and its model.

import * as fc from 'fast-check';

import type { ModelConsumerConfig } from './reference-consumer.ts';
import type { ModelPublish, ModelStream } from './reference-model.ts';

const millisecond = 1e6;
const windowNs = 200 * millisecond;

export type Operation =
  | ({ readonly type: 'publish' } & Omit<ModelPublish, 'tag' | 'contentBytes'> & {
        readonly payloadBytes: number;
      })
  | { readonly type: 'wait'; readonly durationNs: number }
  | { readonly type: 'pull'; readonly slot: number; readonly batch: number }
  | {
      readonly type: 'answer';
      readonly slot: number;
      readonly back: number;
      readonly kind: 'ack' | 'nak' | 'progress' | 'term';
      readonly delayNs: number;
    }
  | { readonly type: 'delete'; readonly back: number }
  | { readonly type: 'purge'; readonly back?: number; readonly subject?: string; readonly keep?: number }
  | { readonly type: 'window'; readonly windowNs: number }
  | { readonly type: 'recreate'; readonly slot: number };

export interface Scenario {
  readonly stream: ModelStream;
  readonly consumers: readonly ModelConsumerConfig[];
  readonly operations: readonly Operation[];
}

const subject = fc.constantFrom('t.a', 't.b', 't.c');
const limit = (max: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max }) });

export const streamConfig: fc.Arbitrary<ModelStream> = fc
  .record({
    name: fc.constant('T'),
    retention: fc.constantFrom('limits', 'limits', 'interest', 'workqueue'),
    discard: fc.constantFrom('old', 'new'),
    discardNewPerSubject: fc.boolean(),
    maxMessages: limit(6),
    maxBytes: limit(300),
    maxPerSubject: limit(3),
    maxMessageBytes: fc.constantFrom(0, 0, 0, 60),
    maxAgeNs: fc.constantFrom(0, 0, 300 * millisecond),
    windowNs: fc.constant(windowNs),
    allowsRollup: fc.boolean(),
    duplicateBeforeExpectations: fc.constant(true),
  } as const)
  .map((config) => ({
    ...config,
    discardNewPerSubject: config.discardNewPerSubject && config.discard === 'new' && config.maxPerSubject > 0,
  }));

const consumerConfig: fc.Arbitrary<ModelConsumerConfig> = fc
  .record({
    ackPolicy: fc.constantFrom('explicit', 'explicit', 'explicit', 'all', 'none'),
    waitsNs: fc.constantFrom(
      [100 * millisecond],
      [50 * millisecond],
      [30 * millisecond, 70 * millisecond],
      [80 * millisecond, 20 * millisecond, 200 * millisecond],
    ),
    maxDeliver: fc.constantFrom(0, 0, 1, 2, 3),
    maxAckPending: fc.constantFrom(1000, 1, 2, 3),
    filter: fc.constantFrom('', 't.a', 't.b'),
  } as const)
  .map((config) => ({
    ...config,
    maxDeliver:
      config.maxDeliver === 0
        ? 0
        : Math.max(config.maxDeliver, config.waitsNs.length > 1 ? config.waitsNs.length : 1),
  }));

const id = fc.option(fc.constantFrom('i1', 'i2', 'i3', 'i4'), { nil: undefined });
const sometimes = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc
    .tuple(fc.integer({ min: 0, max: 11 }), arbitrary)
    .map(([dice, value]) => (dice === 11 ? value : undefined));

export const publish = fc.record({
  type: fc.constant('publish' as const),
  subject,
  id,
  payloadBytes: fc.constantFrom(0, 10, 40, 80),
  expectedStream: sometimes(fc.constantFrom('T', 'X')),
  expectedLast: sometimes(fc.integer({ min: 0, max: 8 })),
  expectedLastOnSubject: sometimes(fc.integer({ min: 0, max: 8 })),
  expectedLastId: sometimes(fc.constantFrom('i1', 'i2')),
  rollup: sometimes(fc.constantFrom('sub' as const, 'all' as const)),
});

const durations = [1, 20, 30, 50, 70, 99, 100, 199, 200, 201, 300].map((count) => count * millisecond);
const slot = fc.integer({ min: 0, max: 1 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: publish as fc.Arbitrary<Operation> },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('wait' as const), durationNs: fc.constantFrom(...durations) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('pull' as const), slot, batch: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      slot,
      back: fc.integer({ min: -1, max: 5 }),
      kind: fc.constantFrom(
        'ack' as const,
        'ack' as const,
        'nak' as const,
        'progress' as const,
        'term' as const,
      ),
      delayNs: fc.constantFrom(0, 0, 25 * millisecond, 150 * millisecond),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('delete' as const), back: fc.integer({ min: 0, max: 5 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.constant({ type: 'purge' as const }),
      fc.record({ type: fc.constant('purge' as const), back: fc.integer({ min: 0, max: 4 }) }),
      fc.record({ type: fc.constant('purge' as const), subject, keep: fc.integer({ min: 1, max: 2 }) }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('window' as const),
      windowNs: fc.constantFrom(100 * millisecond, 200 * millisecond, 250 * millisecond),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('recreate' as const), slot }) },
);

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    stream: streamConfig,
    consumers: fc.tuple(consumerConfig, consumerConfig),
    operations: fc.array(operation, { minLength: 5, maxLength: 60, size: 'max' }),
  })
  .map(({ stream, consumers: [one, two], operations }) => {
    if (stream.retention !== 'workqueue') return { stream, consumers: [one, two], operations };
    // A work queue takes explicit acks only, and filters that do not meet.
    const consumers = [
      { ...one, ackPolicy: 'explicit', filter: 't.a' } as const,
      { ...two, ackPolicy: 'explicit', filter: 't.b' } as const,
    ];
    return { stream, consumers, operations };
  });
