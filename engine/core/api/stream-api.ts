import { patternsOverlap, subjectMatches } from '../../base/subject.ts';
import { failure, isFailure, type ApiFailure } from '../api-failure.ts';
import type { ApiRequest, ApiState } from './api-state.ts';
import { flagField, numberField, readFields, readJson, textField, type JsonObject } from '../json-fields.ts';
import type { Stream } from '../stream.ts';
import {
  readStreamConfig,
  sameConfig,
  sealedConfig,
  updateFailure,
  type StreamConfig,
} from '../stream-config.ts';
import { byteString, SubjectFilter } from '../subject-filter.ts';
import { detailsLimit, namesLimit, pageOf, readListRequest, subjectsLimit } from './paging.ts';
import { plainState, streamView } from './views.ts';

/** The stream that a call's subject names, at that token. */
export function streamOf(state: ApiState, request: ApiRequest, token: number): Stream | ApiFailure {
  return state.streams.get(request.tokens[token] ?? '') ?? failure(10059);
}

function readConfig(state: ApiState, request: ApiRequest): StreamConfig | ApiFailure {
  const body = readJson(request.body, 0, request.body.length);
  if (isFailure(body)) return body;
  const { limits, profile } = state.context;
  return readStreamConfig(body as JsonObject, request.tokens[2] ?? '', {
    maxDuplicateWindowNs: limits.maxDuplicateWindowNs,
    strictJson: profile.strictJson,
  });
}

export function createStream(state: ApiState, request: ApiRequest): object {
  const config = readConfig(state, request);
  if (isFailure(config)) return config;
  const existing = state.streams.get(config.name);
  if (existing !== undefined) {
    if (!sameConfig(existing.config, config)) return failure(10058);
    return { ...streamView(state.context, existing, state.nowNs, plainState), did_create: true };
  }
  const wrong = overlapFailure(state, config) ?? storageFailure(state, config);
  if (wrong !== null) return wrong;
  const stream = state.addStream(config);
  adviseStream(state, stream, 'CREATED', 'create');
  return { ...streamView(state.context, stream, state.nowNs, plainState), did_create: true };
}

function adviseStream(state: ApiState, stream: Stream, event: string, action: string): void {
  const { name } = stream.config;
  state.context.advise({
    subject: `STREAM.${event}.${name}`,
    type: 'stream_action',
    fields: { stream: name, action },
  });
}

function overlapFailure(state: ApiState, config: StreamConfig): ApiFailure | null {
  for (const other of state.streams.values()) {
    if (other.config.name === config.name) continue;
    const overlaps = other.config.subjects.some((left) =>
      config.subjects.some((right) => patternsOverlap(left, right)),
    );
    if (overlaps) return failure(10065);
  }
  return null;
}

function storageFailure(state: ApiState, config: StreamConfig): ApiFailure | null {
  const { maxMemoryBytes, maxFileBytes } = state.context.limits;
  if (config.storage === 'memory') {
    return maxMemoryBytes > 0 && config.max_bytes > maxMemoryBytes ? failure(10028) : null;
  }
  return maxFileBytes > 0 && config.max_bytes > maxFileBytes ? failure(10047) : null;
}

export function updateStream(state: ApiState, request: ApiRequest): object {
  const stream = streamOf(state, request, 2);
  if (isFailure(stream)) return stream;
  const asked = readConfig(state, request);
  if (isFailure(asked)) return asked;
  const config = sealedConfig(asked);
  const wrong =
    updateFailure(stream.config, config) ?? overlapFailure(state, config) ?? storageFailure(state, config);
  if (wrong !== null) return wrong;
  stream.enter(state.nowNs);
  stream.reconfigure(config);
  state.generation += 1;
  adviseStream(state, stream, 'UPDATED', 'modify');
  return streamView(state.context, stream, state.nowNs, plainState);
}

export function deleteStream(state: ApiState, request: ApiRequest): object {
  const stream = streamOf(state, request, 2);
  if (isFailure(stream)) return stream;
  if (!isEmptyRequest(request.body)) return failure(10038);
  state.deleteStream(stream);
  adviseStream(state, stream, 'DELETED', 'delete');
  return { success: true };
}

function isEmptyRequest(body: Uint8Array): boolean {
  const request = readJson(body, 0, body.length);
  return !isFailure(request) && Object.keys(request).length === 0;
}

export function streamInfo(state: ApiState, request: ApiRequest): object {
  const stream = streamOf(state, request, 2);
  if (isFailure(stream)) return stream;
  const body = readListRequest(request.body, state.context.profile.strictJson, {
    deleted_details: 'boolean',
    subjects_filter: 'string',
  });
  if (isFailure(body)) return body;
  const asked = textField(body as JsonObject, 'subjects_filter');
  if (asked === '') {
    const options = { deletedDetails: flagField(body as JsonObject, 'deleted_details'), countsSubject: null };
    return { total: 0, offset: 0, limit: 0, ...streamView(state.context, stream, state.nowNs, options) };
  }
  const filter = new SubjectFilter([asked]);
  const matching = [...stream.subjects.ids()].map((id) => stream.subjects.name(id));
  const names = matching.filter((name) => filter.matchesName(name)).sort();
  const { page, items } = pageOf(names, body as JsonObject, subjectsLimit);
  const shown = new Set(items);
  const options = {
    deletedDetails: flagField(body as JsonObject, 'deleted_details'),
    countsSubject: (name: string) => shown.has(name),
  };
  return { ...page, ...streamView(state.context, stream, state.nowNs, options) };
}

function streamsAsked(
  state: ApiState,
  request: ApiRequest,
): { body: JsonObject; streams: Stream[] } | ApiFailure {
  const body = readListRequest(request.body, state.context.profile.strictJson, { subject: 'string' });
  if (isFailure(body)) return body as ApiFailure;
  const subject = textField(body as JsonObject, 'subject');
  const streams = [...state.streams.values()]
    .filter(({ config }) => subject === '' || config.subjects.some((own) => patternsOverlap(own, subject)))
    .sort((left, right) => (left.config.name < right.config.name ? -1 : 1));
  return { body: body as JsonObject, streams };
}

export function nameStreams(state: ApiState, request: ApiRequest): object {
  const asked = streamsAsked(state, request);
  if (isFailure(asked)) return asked;
  const names = asked.streams.map(({ config }) => config.name);
  const { page, items } = pageOf(names, asked.body, namesLimit);
  return { ...page, streams: items.length === 0 ? null : items };
}

export function listStreams(state: ApiState, request: ApiRequest): object {
  const asked = streamsAsked(state, request);
  if (isFailure(asked)) return asked;
  const { page, items } = pageOf(asked.streams, asked.body, detailsLimit);
  return {
    ...page,
    streams: items.map((stream) => streamView(state.context, stream, state.nowNs, plainState)),
  };
}

export function purgeStream(state: ApiState, request: ApiRequest): object {
  const stream = streamOf(state, request, 2);
  if (isFailure(stream)) return stream;
  const body = readFields(
    request.body,
    { seq: 'unsigned', filter: 'string', keep: 'unsigned' },
    state.context.profile.strictJson,
  );
  if (isFailure(body)) return body;
  const sequence = numberField(body as JsonObject, 'seq', 0);
  const keepCount = numberField(body as JsonObject, 'keep', 0);
  if (sequence > 0 && keepCount > 0) return failure(10003);
  if (stream.config.sealed) return failure(10109);
  if (stream.config.deny_purge) return failure(10110, 'stream purge not permitted');
  stream.enter(state.nowNs);
  const filter = textField(body as JsonObject, 'filter');
  return { success: true, purged: purge(stream, filter, sequence, keepCount) };
}

function purge(stream: Stream, filter: string, sequence: number, keepCount: number): number {
  const end = sequence > 0 ? Math.min(sequence, stream.lastSequence + 1) : stream.lastSequence + 1;
  if (filter === '' || filter === '>') {
    if (keepCount === 0) return stream.purgeBelow(end);
    return stream.purgeSubjects(() => true, end, keepCount);
  }
  const pattern = byteString(filter);
  const wanted = (subjectId: number): boolean => subjectMatches(pattern, stream.subjectName(subjectId));
  return stream.purgeSubjects(wanted, end, keepCount);
}
