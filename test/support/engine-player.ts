// Plays scenarios on the core and its model side by side, and keeps what was seen for the invariants.

import { expect } from 'vitest';

import type { Consumer } from '../../engine/core/consumer.ts';
import type { DedupKind } from '../../engine/core/dedup-window.ts';
import { outcome } from '../../engine/core/outcomes.ts';
import type { ProfileName } from '../../engine/core/profile.ts';
import type { Stream } from '../../engine/core/stream.ts';
import { CoreEngine, storedPayloads, type CoreDelivery, type CoreOutcome } from './core-engine.ts';
import { consumerRequest, headersOf, streamRequest } from './engine-requests.ts';
import type { Operation, Scenario } from './engine-scenarios.ts';
import type { ConsumerSeen, Observation } from './invariants.ts';
import type { ModelConsumerConfig } from './reference-consumer.ts';
import { ReferenceModel, type ModelAnswer } from './reference-model.ts';

/** Plays a scenario on the core; with a model beside it, everything is compared after every step. */
export class Player {
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
      pending: consumer.pendingCount,
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
