// What the core is asked for, in the words of its API and headers, for what its model is given.

import type { DurableRequest, NamedRequest } from './core-engine.ts';
import type { ModelConsumerConfig } from './reference-consumer.ts';
import type { ModelPublish, ModelStream } from './reference-model.ts';

export function streamRequest(config: ModelStream): NamedRequest {
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

export function consumerRequest(name: string, config: ModelConsumerConfig): DurableRequest {
  return {
    durable_name: name,
    ack_policy: config.ackPolicy,
    max_deliver: config.maxDeliver,
    max_ack_pending: config.maxAckPending,
    ...(config.filter === '' ? {} : { filter_subject: config.filter }),
    ...(config.waitsNs.length === 1 ? { ack_wait: config.waitsNs[0] } : { backoff: config.waitsNs }),
  };
}

export function headersOf(fields: Omit<ModelPublish, 'tag' | 'contentBytes'>): string[] {
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
