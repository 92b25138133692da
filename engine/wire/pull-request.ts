// The body of CONSUMER.MSG.NEXT requests and of +NXT acks (spec 6.5).
import type { Nanos } from '../base/nanos.ts';
import { utf8Bytes, utf8Text } from './utf8.ts';

export interface PullRequest {
  /** At least 1. */
  readonly batch: number;
  /** 0: until the reply subject loses interest. */
  readonly expiresNs: Nanos;
  readonly noWait: boolean;
  /** 0: no limit. */
  readonly maxBytes: number;
  /** 0: none. */
  readonly idleHeartbeatNs: Nanos;
  /** Priority group, empty when none is named. */
  readonly group: string;
  readonly minPending: number;
  readonly minAckPending: number;
  /** The pin held by a client of a pinned group. */
  readonly id: string;
  /** 0 (first) to 9. */
  readonly priority: number;
}

export interface BadPullRequest {
  /** Why, to be said behind `Bad Request - ` in the 400 status. */
  readonly badRequest: string;
}

const plainRequest: PullRequest = {
  batch: 1,
  expiresNs: 0,
  noWait: false,
  maxBytes: 0,
  idleHeartbeatNs: 0,
  group: '',
  minPending: 0,
  minAckPending: 0,
  id: '',
  priority: 0,
};

const openBrace = 123;

/** Reads a body: empty, an integer or JSON; any other text asks for one message. */
export function parsePullRequest(
  bytes: Uint8Array,
  start: number,
  end: number,
): PullRequest | BadPullRequest {
  if (start === end) return plainRequest;
  const text = utf8Text(bytes, start, end).trim();
  if (text.charCodeAt(0) === openBrace) return parseJson(text);
  if (!/^[+-]?\d{1,15}$/.test(text)) return plainRequest;
  return { ...plainRequest, batch: atLeastOne(Number(text)) };
}

function parseJson(text: string): PullRequest | BadPullRequest {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { badRequest: 'invalid JSON' };
  }
  const wrong = wrongField(fields);
  if (wrong !== null) return { badRequest: `invalid JSON: ${wrong}` };
  const request: PullRequest = {
    batch: atLeastOne(numberField(fields, 'batch')),
    expiresNs: numberField(fields, 'expires'),
    noWait: fields['no_wait'] === true,
    maxBytes: numberField(fields, 'max_bytes'),
    idleHeartbeatNs: numberField(fields, 'idle_heartbeat'),
    group: textField(fields, 'group'),
    minPending: numberField(fields, 'min_pending'),
    minAckPending: numberField(fields, 'min_ack_pending'),
    id: textField(fields, 'id'),
    priority: numberField(fields, 'priority'),
  };
  if (request.idleHeartbeatNs > 0 && request.idleHeartbeatNs * 2 > request.expiresNs) {
    return { badRequest: 'heartbeat value too large' };
  }
  return request;
}

const integerFields = [
  'batch',
  'expires',
  'max_bytes',
  'idle_heartbeat',
  'min_pending',
  'min_ack_pending',
  'priority',
] as const;
const textFields = ['group', 'id'] as const;

// null stands for a missing field, as in Go.
function wrongField(fields: Readonly<Record<string, unknown>>): string | null {
  for (const name of integerFields) {
    if (!Number.isInteger(fields[name] ?? 0)) return `${name} is not an integer`;
  }
  for (const name of textFields) {
    if (typeof (fields[name] ?? '') !== 'string') return `${name} is not a string`;
  }
  return typeof (fields['no_wait'] ?? false) === 'boolean' ? null : 'no_wait is not a boolean';
}

function numberField(
  fields: Readonly<Record<string, unknown>>,
  name: (typeof integerFields)[number],
): number {
  return Number(fields[name] ?? 0);
}

function textField(fields: Readonly<Record<string, unknown>>, name: (typeof textFields)[number]): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function atLeastOne(batch: number): number {
  return Math.max(1, batch);
}

/** The JSON body that asks for it; what is left out or zero is not sent. */
export function pullRequestBody(request: Partial<PullRequest>): Uint8Array {
  const fields: Record<string, unknown> = {
    batch: request.batch,
    expires: request.expiresNs,
    no_wait: request.noWait,
    max_bytes: request.maxBytes,
    idle_heartbeat: request.idleHeartbeatNs,
    group: request.group,
    min_pending: request.minPending,
    min_ack_pending: request.minAckPending,
    id: request.id,
    priority: request.priority,
  };
  const sent = Object.entries(fields).filter(([, value]) => Boolean(value));
  return utf8Bytes(JSON.stringify(Object.fromEntries(sent)));
}
