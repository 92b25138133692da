// Reading parameter values, and those parameters that several workloads share. Runners have parsed the texts by kind already.

import { assert } from '../engine/base/assert.ts';
import { millisecond, second } from '../engine/base/nanos.ts';
import type { Nanos } from '../engine/base/nanos.ts';
import { idLengthMin, payloadBytesMin, publisherMax } from './operation-id.ts';
import type {
  Distribution,
  IdHeader,
  ParameterSpec,
  ParameterValues,
  PublisherPlan,
  Stage,
  StreamSpec,
} from './workload.ts';

/** Servers refuse shorter ones (case C04). */
const windowNsMin = 100 * millisecond;

export function numberOf(values: ParameterValues, name: string): number {
  const value = values[name];
  assert(typeof value === 'number', `parameter ${name} is a number`);
  return value;
}

export function textOf(values: ParameterValues, name: string): string {
  const value = values[name];
  assert(typeof value === 'string', `parameter ${name} is a text`);
  return value;
}

export function distributionOf(values: ParameterValues, name: string): Distribution {
  const value = values[name];
  assert(typeof value === 'object' && 'kind' in value, `parameter ${name} is a distribution`);
  return value;
}

export function stagesOf(values: ParameterValues, name: string): readonly Stage[] {
  const value = values[name];
  assert(Array.isArray(value), `parameter ${name} is a list of stages`);
  return value;
}

/** Refuses a plan with the field, its value and the rule that it breaks. */
export function demand(isRight: boolean, field: string, value: unknown, rule: string): void {
  if (!isRight) throw new RangeError(`${field}: ${String(value)} ${rule}`);
}

/** Specs that every publishing workload has. */
export const publisherParameters = {
  payload: {
    kind: 'bytes',
    doc: 'Bytes of a message body; the operation id is in its first 20.',
    default: '128B',
    smoke: '128B',
  },
  'id-header': {
    kind: 'choice',
    doc: 'What the header carries: a message id, a control of exactly the same size that is no id, or no header.',
    default: 'message-id',
    smoke: 'message-id',
    choices: ['message-id', 'control', 'none'],
  },
  'id-length': { kind: 'count', doc: 'Characters of a message id.', default: '36', smoke: '36' },
  publishers: {
    kind: 'count',
    doc: 'Publishers, each with a connection of its own; rates are totals over all of them.',
    default: '1',
    smoke: '1',
  },
  'in-flight': {
    kind: 'count',
    doc: 'Publishes that one publisher may have unanswered. A closed loop keeps so many; an open loop that reaches it is invalid.',
    default: '16384',
    smoke: '4096',
  },
  'catch-up': {
    kind: 'count',
    doc: 'Publishes that may be sent at one moment after the generator was late; the rest follow one turn later.',
    default: '1024',
    smoke: '1024',
  },
  arrivals: {
    kind: 'choice',
    doc: 'Spacing of an open loop: even, or as a Poisson process.',
    default: 'fixed',
    smoke: 'fixed',
    choices: ['fixed', 'poisson'],
  },
} as const satisfies Record<string, ParameterSpec>;

/** Specs of the stream. */
export const streamParameters = {
  storage: {
    kind: 'choice',
    doc: 'Where the stream keeps its messages.',
    default: 'memory',
    smoke: 'memory',
    choices: ['memory', 'file'],
  },
  replicas: { kind: 'count', doc: 'Replicas of the stream.', default: '1', smoke: '1' },
} as const satisfies Record<string, ParameterSpec>;

/** The subject that all workloads publish on; a runner puts a prefix of the trial before it. */
export const loadSubject = 'load';

export function streamSpec(values: ParameterValues, retention: StreamSpec['retention']): StreamSpec {
  const windowNs = numberOf(values, 'window');
  demand(
    windowNs >= windowNsMin,
    'window',
    `${windowNs / millisecond}ms`,
    'is below 100ms, which servers refuse',
  );
  const replicas = numberOf(values, 'replicas');
  demand([1, 3, 5].includes(replicas), 'replicas', replicas, 'is not 1, 3 or 5');
  return {
    subjects: [loadSubject],
    retention,
    storage: textOf(values, 'storage') === 'file' ? 'file' : 'memory',
    duplicate_window: windowNs,
    num_replicas: replicas,
  };
}

/** What a workload decides itself about its publishers. */
export type PublisherPart = Pick<PublisherPlan, 'loop' | 'stages' | 'messageCount' | 'retry'>;

export function publisherPlan(values: ParameterValues, part: PublisherPart): PublisherPlan {
  const payloadBytes = numberOf(values, 'payload');
  demand(
    payloadBytes >= payloadBytesMin,
    'payload',
    payloadBytes,
    `is below ${payloadBytesMin}B, the size of an operation id`,
  );
  const idLength = numberOf(values, 'id-length');
  const isIdLength = idLength >= idLengthMin && idLength <= 255;
  demand(isIdLength, 'id-length', idLength, `is not in ${idLengthMin} to 255`);
  const publisherCount = numberOf(values, 'publishers');
  const isCount = publisherCount >= 1 && publisherCount < publisherMax;
  demand(isCount, 'publishers', publisherCount, `is not in 1 to ${publisherMax - 1}`);
  const inFlightMax = numberOf(values, 'in-flight');
  demand(inFlightMax >= 1 && inFlightMax <= 2 ** 20, 'in-flight', inFlightMax, `is not in 1 to ${2 ** 20}`);
  return {
    ...part,
    arrivals: textOf(values, 'arrivals') === 'poisson' ? 'poisson' : 'fixed',
    publisherCount,
    subject: loadSubject,
    payloadBytes,
    idHeader: idHeaderOf(values),
    idLength,
    inFlightMax,
    catchUpMax: numberOf(values, 'catch-up'),
  };
}

export function idHeaderOf(values: ParameterValues): IdHeader {
  const text = textOf(values, 'id-header');
  if (text === 'control' || text === 'none') return text;
  return 'message-id';
}

/** Time for what is still on its way after the last send. */
export const drainNsMin: Nanos = 2 * second;
