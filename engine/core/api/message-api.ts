import { nanosFromRfc3339 } from '../../base/nanos.ts';
import { base64Text } from '../../base/text.ts';
import { failure, isFailure, type ApiFailure } from '../api-failure.ts';
import { headerStart, publishAt } from '../batch.ts';
import type { ApiRequest, ApiState } from './api-state.ts';
import { flagField, numberField, readFields, textField, type JsonObject } from '../json-fields.ts';
import type { Stream } from '../stream.ts';
import { byteString, SubjectFilter } from '../subject-filter.ts';
import { streamOf } from './stream-api.ts';
import { subjectText, timeText } from './views.ts';

const selectorFields = {
  seq: 'unsigned',
  last_by_subj: 'string',
  next_by_subj: 'string',
  start_time: 'time',
  no_hdr: 'boolean',
  batch: 'number',
  max_bytes: 'number',
  multi_last: 'strings',
  up_to_seq: 'unsigned',
  up_to_time: 'time',
} as const;

/** The sequence that a get request selects, 0 when there is none such (spec 2.3, MSG.GET). */
export function selectMessage(state: ApiState, stream: Stream, body: Uint8Array): number | ApiFailure {
  const request = readFields(body, selectorFields, state.context.profile.strictJson);
  if (isFailure(request)) return request as ApiFailure;
  const asked = request as JsonObject;
  const last = textField(asked, 'last_by_subj');
  const next = textField(asked, 'next_by_subj');
  const sequence = numberField(asked, 'seq', 0);
  const startTime = textField(asked, 'start_time');
  const isWrong =
    numberField(asked, 'batch', 0) > 0 ||
    (last !== '' && (sequence > 0 || next !== '')) ||
    (last === '' && next === '' && sequence <= 0 && startTime === '');
  if (isWrong) return failure(10003);
  if (last !== '') return lastMatching(stream, last);
  const since =
    startTime === '' ? sequence : stream.firstSince(nanosFromRfc3339(state.context.epoch, startTime));
  if (next !== '') return nextMatching(stream, next, since);
  if (startTime !== '') return since;
  return stream.has(sequence) ? sequence : 0;
}

/** The last message on a subject, wildcards allowed; 0 when there is none. */
export function lastMatching(stream: Stream, pattern: string): number {
  const exact = stream.subjects.find(byteString(pattern));
  if (exact >= 0) return stream.subjects.lastSequence[exact] as number;
  const filter = new SubjectFilter([pattern]);
  let sequence = 0;
  for (const id of stream.subjects.ids()) {
    if (!filter.matchesName(stream.subjects.name(id))) continue;
    sequence = Math.max(sequence, stream.subjects.lastSequence[id] as number);
  }
  return sequence;
}

function nextMatching(stream: Stream, pattern: string, from: number): number {
  const filter = new SubjectFilter([pattern]);
  for (let at = stream.nextStored(from); at !== 0; at = stream.nextStored(at + 1)) {
    if (filter.matches(stream.subjectIdOf(at), (id) => stream.subjectName(id))) return at;
  }
  return 0;
}

export function getMessage(state: ApiState, request: ApiRequest): object {
  const stream = streamOf(state, request, 3);
  if (isFailure(stream)) return stream;
  const sequence = selectMessage(state, stream, request.body);
  if (typeof sequence !== 'number') return sequence;
  const place = stream.place(sequence);
  if (place === null) return failure(10037);
  const { view, bytes } = place.segment;
  const start = headerStart(view, place.offset);
  const payloadStart = start + view.getUint32(place.offset + publishAt.headerBytes, true);
  const payloadEnd = payloadStart + view.getUint32(place.offset + publishAt.payloadBytes, true);
  const asked = readFields(request.body, selectorFields, false) as JsonObject;
  const showsHeader = payloadStart > start && !flagField(asked, 'no_hdr');
  return {
    message: {
      subject: subjectText(stream.subjectName(stream.subjectIdOf(sequence))),
      seq: sequence,
      ...(showsHeader ? { hdrs: base64Text(bytes, start, payloadStart) } : {}),
      ...(payloadEnd > payloadStart ? { data: base64Text(bytes, payloadStart, payloadEnd) } : {}),
      time: timeText(state.context, place.storedNs),
    },
  };
}

export function deleteMessage(state: ApiState, request: ApiRequest): object {
  const stream = streamOf(state, request, 3);
  if (isFailure(stream)) return stream;
  const body = readFields(
    request.body,
    { seq: 'unsigned', no_erase: 'boolean' },
    state.context.profile.strictJson,
  );
  if (isFailure(body)) return body;
  const sequence = numberField(body as JsonObject, 'seq', 0);
  if (stream.config.sealed) return failure(10109);
  if (stream.config.deny_delete) return failure(10057, 'message delete not permitted');
  stream.enter(state.nowNs);
  return stream.remove(sequence) ? { success: true } : failure(10043, String(sequence));
}
