// Streams and consumers as the API shows them (spec 2.3).

import { rfc3339, type Nanos } from '../../base/nanos.ts';
import { utf8Text } from '../../base/text.ts';
import { latin1Bytes } from '../../base/bytes.ts';
import type { Consumer } from '../consumer.ts';
import type { EngineContext } from '../engine-context.ts';
import type { Stream } from '../stream.ts';

const zeroTime = '0001-01-01T00:00:00Z';

export function timeText(context: EngineContext, at: Nanos): string {
  return at < 0 ? zeroTime : rfc3339(context.epoch, at);
}

/** What an info request may ask for on top. */
export interface StreamStateOptions {
  readonly deletedDetails: boolean;
  /** Subjects to count messages of, or null. */
  readonly countsSubject: ((name: string) => boolean) | null;
}

export const plainState: StreamStateOptions = { deletedDetails: false, countsSubject: null };

export function streamState(context: EngineContext, stream: Stream, options: StreamStateOptions): object {
  const deleted =
    stream.messageCount === 0 ? 0 : stream.lastSequence - stream.firstSequence + 1 - stream.messageCount;
  return {
    messages: stream.messageCount,
    bytes: stream.byteCount,
    first_seq: stream.firstSequence,
    first_ts: timeText(context, stream.firstStoredNs),
    last_seq: stream.lastSequence,
    last_ts: timeText(context, stream.lastStoredNs),
    ...(stream.subjects.size > 0 ? { num_subjects: stream.subjects.size } : {}),
    ...(options.countsSubject === null ? {} : { subjects: subjectCounts(stream, options.countsSubject) }),
    ...(deleted > 0 ? { num_deleted: deleted } : {}),
    ...(deleted > 0 && options.deletedDetails ? { deleted: deletedSequences(stream) } : {}),
    consumer_count: stream.consumers.size,
  };
}

function subjectCounts(stream: Stream, wanted: (name: string) => boolean): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const id of stream.subjects.ids()) {
    const name = stream.subjects.name(id);
    if (wanted(name)) counts[subjectText(name)] = stream.subjects.messageCount[id] as number;
  }
  return counts;
}

/** A subject kept as byte string, as text. */
export function subjectText(name: string): string {
  const bytes = latin1Bytes(name);
  return utf8Text(bytes, 0, bytes.length);
}

function deletedSequences(stream: Stream): number[] {
  const sequences: number[] = [];
  for (let at = stream.firstSequence; at <= stream.lastSequence; at += 1) {
    if (!stream.has(at)) sequences.push(at);
  }
  return sequences;
}

export function streamView(
  context: EngineContext,
  stream: Stream,
  nowNs: Nanos,
  options: StreamStateOptions,
): object {
  return {
    config: stream.config,
    created: timeText(context, stream.createdNs),
    state: streamState(context, stream, options),
    ...(context.domain === null ? {} : { domain: context.domain }),
    ts: timeText(context, nowNs),
  };
}

export function consumerView(
  context: EngineContext,
  stream: Stream,
  consumer: Consumer,
  nowNs: Nanos,
): object {
  const position = (consumerSequence: number, streamSequence: number, activeNs: Nanos): object => ({
    consumer_seq: consumerSequence,
    stream_seq: streamSequence,
    ...(activeNs < 0 ? {} : { last_active: timeText(context, activeNs) }),
  });
  return {
    stream_name: stream.config.name,
    name: consumer.config.name,
    created: timeText(context, consumer.createdNs),
    config: consumer.config,
    delivered: position(consumer.deliveredConsumer, consumer.deliveredStream, consumer.lastDeliveredNs),
    ack_floor: position(consumer.floorConsumer, consumer.floorStream, consumer.lastFloorNs),
    num_ack_pending: consumer.pending.count,
    num_redelivered: consumer.redeliveredCount(context.profile.countsSingleDeliveryAsRedelivered),
    num_waiting: 0,
    num_pending: consumer.pendingCount,
    ts: timeText(context, nowNs),
  };
}
