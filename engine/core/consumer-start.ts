// Where a new consumer begins in its stream, and how much lies ahead of it (spec 6.3, start selection).

import { unreachable } from '../base/assert.ts';
import { nanosFromRfc3339, type Epoch } from '../base/nanos.ts';
import type { Consumer } from './consumer.ts';
import type { Stream } from './stream.ts';

export function startConsumer(stream: Stream, consumer: Consumer, epoch: Epoch): void {
  if (consumer.config.deliver_policy === 'last_per_subject') {
    const lasts = lastSequences(stream, consumer);
    consumer.startAt(stream.lastSequence + 1, lasts.length, lasts);
    return;
  }
  const start = startSequence(stream, consumer, epoch);
  consumer.startAt(start, countMatching(stream, consumer, start), []);
}

function startSequence(stream: Stream, consumer: Consumer, epoch: Epoch): number {
  const { config } = consumer;
  const first = Math.max(1, stream.firstSequence);
  const end = stream.lastSequence + 1;
  switch (config.deliver_policy) {
    case 'new':
      return end;
    case 'last':
      return Math.min(end, Math.max(first, lastOf(stream, consumer)));
    case 'by_start_sequence':
      return Math.max(first, config.opt_start_seq ?? 1);
    case 'by_start_time': {
      const since = stream.firstSince(nanosFromRfc3339(epoch, config.opt_start_time ?? ''));
      return since === 0 ? end : Math.max(first, since);
    }
    case 'all':
    case 'last_per_subject':
      return first;
    default:
      return unreachable(config.deliver_policy);
  }
}

function lastOf(stream: Stream, consumer: Consumer): number {
  if (consumer.filter.wantsAll) return stream.lastSequence;
  const lasts = lastSequences(stream, consumer);
  return lasts.at(-1) ?? stream.lastSequence + 1;
}

function lastSequences(stream: Stream, consumer: Consumer): number[] {
  const sequences: number[] = [];
  for (const id of stream.subjects.ids()) {
    if (consumer.wantsSubject(id)) sequences.push(stream.subjects.lastSequence[id] as number);
  }
  return sequences.sort((left, right) => left - right);
}

/** Matching messages at or behind `start`. */
export function countMatching(stream: Stream, consumer: Consumer, start: number): number {
  if (start <= stream.firstSequence) {
    if (consumer.filter.wantsAll) return stream.messageCount;
    let count = 0;
    for (const id of stream.subjects.ids()) {
      if (consumer.wantsSubject(id)) count += stream.subjects.messageCount[id] as number;
    }
    return count;
  }
  let count = 0;
  for (let at = stream.nextStored(start); at !== 0; at = stream.nextStored(at + 1)) {
    if (consumer.wants(at)) count += 1;
  }
  return count;
}
