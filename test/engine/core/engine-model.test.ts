// The core against a dumb model of one stream and its consumers: the same operations at the same times, everything
// compared after every step, and the invariants checked over what was seen.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hashBytes, latin1Bytes } from '../../../engine/base/bytes.ts';
import type { Consumer } from '../../../engine/core/consumer.ts';
import type { DedupKind } from '../../../engine/core/dedup-window.ts';
import { outcome } from '../../../engine/core/outcomes.ts';
import type { ProfileName } from '../../../engine/core/profile.ts';
import type { Stream } from '../../../engine/core/stream.ts';
import {
  CoreEngine,
  storedPayloads,
  type DurableRequest,
  type NamedRequest,
  type CoreDelivery,
  type CoreOutcome,
} from '../../support/core-engine.ts';
import {
  holdsOnlyLiveIds,
  invariants,
  type ConsumerSeen,
  type Observation,
} from '../../support/invariants.ts';
import {
  ReferenceModel,
  type ModelAnswer,
  type ModelConsumerConfig,
  type ModelPublish,
  type ModelStream,
} from '../../support/reference-model.ts';

const millisecond = 1e6;
const windowNs = 200 * millisecond;

type Operation =
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

interface Scenario {
  readonly stream: ModelStream;
  readonly consumers: readonly ModelConsumerConfig[];
  readonly operations: readonly Operation[];
}

// --- what is generated

const subject = fc.constantFrom('t.a', 't.b', 't.c');
const limit = (max: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max }) });

const streamConfig: fc.Arbitrary<ModelStream> = fc
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

const publish = fc.record({
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

const scenario: fc.Arbitrary<Scenario> = fc
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

// --- how it is played

/** Plays a scenario on the core; with a model beside it, everything is compared after every step. */
class Player {
  readonly engine: CoreEngine;
  readonly model: ReferenceModel;
  readonly stream: Stream;
  readonly history: Observation[] = [];
  readonly #configs: readonly ModelConsumerConfig[];
  readonly #slots: Consumer[];
  #count = 0;
  #pullCount = 0;
  #deliveryCount = 0;
  windowNs: number;

  constructor({ stream, consumers }: Scenario, dedup: DedupKind, profile: ProfileName) {
    this.engine = new CoreEngine({ dedup, profile });
    this.model = new ReferenceModel({ ...stream, duplicateBeforeExpectations: profile === 'strict' });
    this.windowNs = stream.windowNs;
    this.stream = this.engine.createStream(streamRequest(stream));
    this.#configs = consumers;
    this.#slots = consumers.map((_, index) => this.#create(index, `c${index}`));
  }

  #create(slot: number, name: string): Consumer {
    const config = this.#configs[slot]!;
    this.model.addConsumer(name, config);
    return this.engine.createConsumer(this.stream, consumerRequest(name, config));
  }

  play(operation: Operation): void {
    this.#count += 1;
    switch (operation.type) {
      case 'publish':
        this.#publish(operation);
        break;
      case 'wait':
        this.engine.advance(this.engine.nowNs + operation.durationNs);
        this.model.advance(this.model.nowNs + operation.durationNs);
        break;
      case 'pull': {
        this.#pullCount += 1;
        const consumer = this.#slots[operation.slot]!;
        this.engine.pull(this.stream, consumer, `p${this.#pullCount}`, { batch: operation.batch });
        this.model.pull(consumer.config.name, `p${this.#pullCount}`, operation.batch);
        break;
      }
      case 'answer':
        this.#answer(operation);
        break;
      case 'window':
        this.windowNs = operation.windowNs;
        this.engine.api(
          'STREAM.UPDATE.T',
          streamRequest({ ...this.model.config, windowNs: operation.windowNs }),
        );
        this.model.setWindow(operation.windowNs);
        break;
      case 'recreate': {
        const old = this.#slots[operation.slot]!.config.name;
        this.engine.api(`CONSUMER.DELETE.T.${old}`);
        this.model.deleteConsumer(old);
        this.#slots[operation.slot] = this.#create(operation.slot, `c${operation.slot}n${this.#count}`);
        break;
      }
      case 'delete':
      case 'purge':
        this.#remove(operation);
        break;
      default:
        throw new Error('every operation has a case');
    }
    this.#watchDeliveries();
  }

  #publish(operation: Operation & { readonly type: 'publish' }): void {
    const { payloadBytes, ...fields } = operation;
    const tag = `${this.#count}`.padEnd(payloadBytes, '.');
    const headers = headersOf(fields);
    const blockBytes =
      headers.length === 0
        ? 0
        : headers.reduce((sum, line) => sum + line.length + 2, 'NATS/1.0\r\n\r\n'.length);
    const seen = this.engine.publish(this.stream, fields.subject, tag, headers);
    const expected = this.model.publish({ ...fields, tag, contentBytes: blockBytes + tag.length });
    expect(answerOf(seen)).toEqual(expected);
    this.history.push({
      type: 'publish',
      answer: expected.kind,
      sequence: seen.sequence,
      id: fields.id ?? '',
      tag,
      subject: fields.subject,
      atNs: this.engine.nowNs,
      windowNs: this.windowNs,
    });
  }

  #answer({ slot, back, kind, delayNs }: Operation & { readonly type: 'answer' }): void {
    const consumer = this.#slots[slot]!;
    const { name } = consumer.config;
    const sequence = Math.max(1, consumer.deliveredStream - back);
    const isKnown = consumer.wasDelivered(sequence);
    const takesAcks = consumer.config.ack_policy !== 'none';
    if (isKnown && takesAcks) {
      const seen = { consumer: name, sequence, atNs: this.engine.nowNs };
      if (kind === 'nak') this.history.push({ type: 'nak', ...seen, delayNs });
      else if (kind === 'progress') this.history.push({ type: 'progress', ...seen });
      else {
        this.history.push({
          type: 'settle',
          how: kind === 'ack' && consumer.config.ack_policy === 'all' ? 'upTo' : 'one',
          ...seen,
        });
      }
    }
    const coreKind = kind === 'term' ? 'terminate' : kind;
    this.engine.acknowledge(this.stream, consumer, sequence, coreKind, kind === 'nak' ? delayNs : 0);
    this.model.acknowledge(name, sequence, kind, delayNs);
  }

  #remove(operation: Operation & { readonly type: 'delete' | 'purge' }): void {
    if (operation.type === 'delete') {
      const sequence = Math.max(1, this.stream.lastSequence - operation.back);
      const answer = this.engine.api('STREAM.MSG.DELETE.T', { seq: sequence });
      expect(answer['success'] === true).toBe(this.model.deleteMessage(sequence));
      return;
    }
    const { back, subject, keep } = operation;
    const below = back === undefined ? undefined : Math.max(1, this.stream.lastSequence - back);
    const answer = this.engine.api('STREAM.PURGE.T', {
      ...(below === undefined ? {} : { seq: below }),
      ...(subject === undefined ? {} : { filter: subject, keep }),
    });
    const purge = {
      ...(below === undefined ? {} : { below }),
      ...(subject === undefined ? {} : { subject, keep: keep ?? 0 }),
    };
    expect(answer['purged']).toBe(this.model.purge(purge));
  }

  #watchDeliveries(): void {
    const fresh = this.engine.deliveries.slice(this.#deliveryCount);
    this.#deliveryCount = this.engine.deliveries.length;
    for (const { consumer, sequence, consumerSequence, deliveryCount, atNs } of fresh) {
      this.history.push({ type: 'deliver', consumer, sequence, consumerSequence, deliveryCount, atNs });
    }
  }

  compare(): void {
    const { stream, model, engine } = this;
    expect(byConsumer(engine.deliveries)).toEqual(byConsumer(model.deliveries));
    expect({
      stored: [...storedPayloads(engine, stream)],
      last: stream.lastSequence,
      first: stream.firstSequence,
      bytes: stream.byteCount,
      lastId: stream.lastMessageId,
    }).toEqual({
      stored: model.messages.map(({ sequence, tag }) => [sequence, tag]),
      last: model.lastSequence,
      first: model.firstSequence,
      bytes: model.bytes,
      lastId: model.lastId,
    });
    for (const consumer of this.#slots) {
      expect(numbersOf(consumer)).toEqual(this.#modelNumbers(consumer.config.name));
    }
    expect(advisoriesOf(engine)).toEqual([...model.advisories].sort());
  }

  #modelNumbers(name: string): object {
    const consumer = this.model.consumer(name);
    const pending = [...consumer.pending.entries()];
    const redelivered =
      pending.filter(([, { deliveries }]) => deliveries > 1).length + consumer.exhausted.size;
    return {
      delivered: consumer.delivered,
      floor: consumer.floor,
      pending: this.model.pendingCount(consumer),
      ackPending: pending.map(([sequence]) => sequence).sort((left, right) => left - right),
      redelivered: consumer.config.maxDeliver === 1 ? 0 : redelivered,
    };
  }

  watchState(): void {
    this.history.push({
      type: 'state',
      atNs: this.engine.nowNs,
      firstSequence: this.stream.firstSequence,
      lastSequence: this.stream.lastSequence,
      windowNs: this.windowNs,
      idCount: this.stream.dedup.entryCount,
      stored: storedPayloads(this.engine, this.stream),
      consumers: this.#slots.map((consumer, slot) => consumerSeen(consumer, this.#configs[slot]!)),
    });
  }
}

function streamRequest(config: ModelStream): NamedRequest {
  return {
    name: config.name,
    subjects: ['t.>'],
    storage: 'memory',
    retention: config.retention,
    discard: config.discard,
    discard_new_per_subject: config.discardNewPerSubject,
    max_msgs: config.maxMessages,
    max_bytes: config.maxBytes,
    max_msgs_per_subject: config.maxPerSubject,
    max_msg_size: config.maxMessageBytes,
    max_age: config.maxAgeNs,
    duplicate_window: config.windowNs,
    allow_rollup_hdrs: config.allowsRollup,
  };
}

function consumerRequest(name: string, config: ModelConsumerConfig): DurableRequest {
  return {
    durable_name: name,
    ack_policy: config.ackPolicy,
    max_deliver: config.maxDeliver,
    max_ack_pending: config.maxAckPending,
    ...(config.filter === '' ? {} : { filter_subject: config.filter }),
    ...(config.waitsNs.length === 1 ? { ack_wait: config.waitsNs[0] } : { backoff: config.waitsNs }),
  };
}

function headersOf(fields: Omit<ModelPublish, 'tag' | 'contentBytes'>): string[] {
  const lines: [string, string | number | undefined][] = [
    ['Nats-Msg-Id', fields.id],
    ['Nats-Expected-Stream', fields.expectedStream],
    ['Nats-Expected-Last-Sequence', fields.expectedLast],
    ['Nats-Expected-Last-Subject-Sequence', fields.expectedLastOnSubject],
    ['Nats-Expected-Last-Msg-Id', fields.expectedLastId],
    ['Nats-Rollup', fields.rollup],
  ];
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
}

function answerOf({ code, sequence }: CoreOutcome): ModelAnswer {
  if (code === outcome.stored) return { kind: 'stored', sequence };
  return code === outcome.duplicate ? { kind: 'duplicate', sequence } : { kind: 'refused', code };
}

/** Each consumer's deliveries in order; how those of several consumers interleave is the engine's choice. */
function byConsumer(deliveries: readonly CoreDelivery[]): Map<string, CoreDelivery[]> {
  const groups = new Map<string, CoreDelivery[]>();
  for (const delivery of deliveries) {
    groups.set(delivery.consumer, [...(groups.get(delivery.consumer) ?? []), delivery]);
  }
  return groups;
}

function numbersOf(consumer: Consumer): object {
  return {
    delivered: { consumer: consumer.deliveredConsumer, stream: consumer.deliveredStream },
    floor: { consumer: consumer.floorConsumer, stream: consumer.floorStream },
    pending: consumer.pendingCount,
    ackPending: pendingSequences(consumer),
    redelivered: consumer.redeliveredCount(false),
  };
}

function pendingSequences({ pending }: Consumer): number[] {
  const sequences: number[] = [];
  for (let row = pending.oldest(); row >= 0; row = pending.after(row)) sequences.push(pending.sequence[row]!);
  return sequences.sort((left, right) => left - right);
}

function consumerSeen(consumer: Consumer, config: ModelConsumerConfig): ConsumerSeen {
  return {
    name: consumer.config.name,
    filter: config.filter,
    waitsNs: config.waitsNs,
    maxDeliver: config.maxDeliver,
    maxAckPending: config.maxAckPending,
    takesAcks: config.ackPolicy !== 'none',
    delivered: { consumer: consumer.deliveredConsumer, stream: consumer.deliveredStream },
    floor: { consumer: consumer.floorConsumer, stream: consumer.floorStream },
    pendingSequences: pendingSequences(consumer),
  };
}

const advisoryWords: Readonly<Record<string, string>> = {
  MAX_DELIVERIES: 'exhausted',
  MSG_NAKED: 'naked',
  MSG_TERMINATED: 'terminated',
};

function advisoriesOf({ advisories }: CoreEngine): string[] {
  const told = advisories.flatMap(({ subject, fields }) => {
    const word = advisoryWords[subject.split('.')[1] ?? ''];
    return word === undefined
      ? []
      : [`${word} ${fields['consumer']} s${fields['stream_seq']} d${fields['deliveries']}`];
  });
  return told.sort();
}

const variants = [
  ['compact', 'strict'],
  ['map', 'strict'],
  ['compact', 'nats'],
  ['map', 'nats'],
] as const;

describe.each(variants)('core with dedup %s, profile %s', (dedup, profile) => {
  it('does what the model does, and keeps the invariants', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(scenario, (played) => {
        const player = new Player(played, dedup, profile);
        for (const operation of played.operations) {
          player.play(operation);
          player.compare();
          player.watchState();
        }
        const wrong = Object.values(invariants).flatMap((checker) => checker(player.history));
        if (!played.operations.some(({ type }) => type === 'window')) {
          wrong.push(...holdsOnlyLiveIds(player.history));
        }
        expect(wrong).toEqual([]);
      }),
      { numRuns: Number(process.env['MODEL_RUNS'] ?? 300) },
    );
  });
});

// --- determinism

/** Everything that a run decided, as one number. */
function digest(values: readonly unknown[]): number {
  const bytes = latin1Bytes(JSON.stringify(values).replace(/[^\0-\u00ff]/g, '?'));
  return hashBytes(bytes, 0, bytes.length, 1);
}

function playAll(played: Scenario, dedup: DedupKind): number {
  const player = new Player(played, dedup, 'strict');
  for (const operation of played.operations) player.play(operation);
  const { engine, stream } = player;
  const answers = player.history.filter(({ type }) => type === 'publish');
  return digest([
    answers,
    engine.deliveries,
    engine.advisories,
    [...storedPayloads(engine, stream)],
    engine.api('STREAM.INFO.T'),
  ]);
}

describe('determinism', () => {
  it('the same operations at the same times give the same trace, whatever keeps the ids', () => {
    fc.assert(
      fc.property(scenario, (played) => {
        const first = playAll(played, 'compact');
        expect(playAll(played, 'compact')).toBe(first);
        expect(playAll(played, 'map')).toBe(first);
      }),
      { numRuns: 40 },
    );
  });

  it('publishes of one moment get the same answers however they are cut into batches', () => {
    const cuts = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(streamConfig, fc.array(publish, { maxLength: 20 }), cuts, (config, publishes, cuts) => {
        const answersWith = (isCut: (index: number) => boolean): unknown => {
          const engine = new CoreEngine({});
          const stream = engine.createStream(streamRequest(config));
          const answers: CoreOutcome[] = [];
          for (const [index, fields] of publishes.entries()) {
            engine.add(stream, fields.subject, 'x'.repeat(fields.payloadBytes), headersOf(definedOf(fields)));
            if (isCut(index)) answers.push(...engine.commit());
          }
          answers.push(...engine.commit());
          return { answers, stored: [...storedPayloads(engine, stream)], info: engine.api('STREAM.INFO.T') };
        };
        const whole = answersWith(() => false);
        expect(answersWith(() => true)).toEqual(whole);
        expect(answersWith((index) => cuts[index] === true)).toEqual(whole);
      }),
      { numRuns: 100 },
    );
  });
});

type PublishFields = Parameters<typeof headersOf>[0];

function definedOf(fields: object): PublishFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as unknown as PublishFields;
}
