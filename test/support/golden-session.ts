// What one run of a golden script remembers: its connection, the configurations it sent, the deliveries it holds.

import { GoldenClient } from './golden-client.ts';
import type { Inbox, Received } from './golden-client.ts';
import type { GoldenTarget } from './golden-target.ts';
import { parseFieldValue } from './golden-values.ts';
import type { Words } from './golden-values.ts';

export type Json = Readonly<Record<string, unknown>>;

export class GoldenSession {
  readonly target: GoldenTarget;
  readonly client: GoldenClient;
  /** Last configuration sent, by `T` for streams and `T c` for consumers: an update sends the whole of it. */
  readonly configs = new Map<string, Json>();
  /** Stream of each consumer named so far. */
  readonly streams = new Map<string, string>();
  /** Ack subject of each delivery, under `s1c2d2` and `c/s1c2d2`; a later one of that name replaces it. */
  readonly deliveries = new Map<string, string>();
  /** Subscriptions and waiting pulls that the script gave a name. */
  readonly listeners = new Map<string, Inbox>();
  /** Where `at` counts from. */
  zeroNs: number;

  constructor(target: GoldenTarget) {
    this.target = target;
    this.client = new GoldenClient(target);
    this.zeroNs = target.nowNs();
  }

  /** Calls the JetStream API; `$JS.API.` is put before the subject. The answer, or the line that says why there is none. */
  async api(subject: string, request: Json | string = ''): Promise<Json | string> {
    const body = typeof request === 'string' ? request : JSON.stringify(request);
    const answer = await this.client.request({ subject: `$JS.API.${subject}`, body }, 3e9);
    if (answer === null) return 'no answer';
    if (answer.status !== 0) return statusLine(answer);
    return JSON.parse(answer.body) as Json;
  }

  /** As `api`, with `told` for the success; an error becomes `err 10059 stream not found`. */
  async apiLine(subject: string, request: Json | string, told: (answer: Json) => string): Promise<string[]> {
    const answer = await this.api(subject, request);
    return [typeof answer === 'string' ? answer : (errorLine(answer) ?? told(answer))];
  }

  /** Lets this much time pass. */
  async sleep(durationNs: number): Promise<void> {
    await this.target.pass(this.target.nowNs() + durationNs, () => false);
  }

  streamOf(consumer: string): string {
    const stream = this.streams.get(consumer);
    if (stream === undefined) throw new Error(`the script made no consumer ${consumer}`);
    return stream;
  }
}

/** `field=value` words as a JSON object, over the fields given. */
export function configOf(words: Words, base: Json): Json {
  const config: Record<string, unknown> = { ...base };
  for (const [field, text] of words.named) config[field] = parseFieldValue(field, text);
  return config;
}

/** `err <code> <text>` of an API or publish answer; null when it is none. */
export function errorLine(answer: Json): string | null {
  const error = answer['error'] as Json | undefined;
  return error === undefined
    ? null
    : `err ${textOf(error['err_code'])} ${textOf(error['description'])}`.trimEnd();
}

/** `408 Request Timeout pending=2`, `no responders`. */
export function statusLine(message: Received): string {
  if (message.status === 503) return 'no responders';
  const pending = header(message, 'Nats-Pending-Messages');
  const bytes = header(message, 'Nats-Pending-Bytes');
  const words = [String(message.status), message.description, pending === null ? '' : `pending=${pending}`];
  if (bytes !== null && bytes !== '0') words.push(`bytes=${bytes}`);
  return words.filter((word) => word !== '').join(' ');
}

function header(message: Pick<Received, 'headers'>, name: string): string | null {
  return message.headers.find(([own]) => own === name)?.[1] ?? null;
}

/** The word at a place, or an error that says what is missing. */
export function wordAt(words: Words, index: number, what: string): string {
  const word = words.plain[index];
  if (word === undefined) throw new Error(`${words.verb}: ${what} is missing`);
  return word;
}

/** A JSON value in text: strings as they are. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
