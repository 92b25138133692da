// Every command of the golden scripts, and the few that belong neither to streams nor to consumers.

import type { Interpreter } from './golden.ts';
import type { Received } from './golden-client.ts';
import { consumerCommands } from './golden-consumers.ts';
import { RawClient, unescapeBytes } from './golden-raw.ts';
import { GoldenSession, statusLine, textOf, wordAt } from './golden-session.ts';
import type { Json } from './golden-session.ts';
import { streamCommands } from './golden-streams.ts';
import type { Command } from './golden-streams.ts';
import type { GoldenTarget } from './golden-target.ts';
import { parseDurationNs, splitWords } from './golden-values.ts';

/** `wait 1.1s`. */
const wait: Command = async (session, words) => {
  await session.sleep(parseDurationNs(wordAt(words, 0, 'a duration')));
  return [];
};

/** `at 1.1s`: waits until that long after `mark` (or the beginning of the script), however long the commands between took. */
const at: Command = async (session, words) => {
  const dueNs = session.zeroNs + parseDurationNs(wordAt(words, 0, 'a duration'));
  await session.sleep(Math.max(0, dueNs - session.target.nowNs()));
  return [];
};

const mark: Command = (session) => {
  session.zeroNs = session.target.nowNs();
  return Promise.resolve([]);
};

const restart: Command = async (session) => {
  await session.target.restart();
  await session.client.open();
  return [];
};

const kill: Command = async (session) => {
  await session.target.kill();
  await session.client.open();
  return [];
};

/** `listen NAME SUBJECT`: a subscription whose messages `heard NAME` prints. */
const listen: Command = async (session, words) => {
  session.listeners.set(wordAt(words, 0, 'a name'), session.client.subscribe(wordAt(words, 1, 'a subject')));
  await session.client.flush();
  return [];
};

/** `heard NAME`: what came since the last time, after everything sent before has been taken in. */
const heard: Command = async (session, words) => {
  const name = wordAt(words, 0, 'a name');
  const inbox = session.listeners.get(name);
  if (inbox === undefined) throw new Error(`nothing listens as ${name}`);
  await session.client.flush();
  return inbox.messages.splice(0).map(heardLine);
};

const advisoryFields = ['stream', 'consumer', 'stream_seq', 'consumer_seq', 'deliveries', 'reason', 'action'];

function heardLine(message: Received): string {
  if (message.status !== 0) return statusLine(message);
  if (!message.subject.startsWith('$JS.EVENT.')) return `${message.subject} ${JSON.stringify(message.body)}`;
  const event = JSON.parse(message.body) as Json;
  const kind = textOf(event['type']).replace('io.nats.jetstream.advisory.v1.', '');
  const facts = advisoryFields
    .filter((field) => event[field] !== undefined)
    .map((field) => `${field}=${textOf(event[field])}`);
  return [kind, ...facts].join(' ');
}

/** `request SUBJECT "body" header:Name=value`: the status, or the body in quotes. */
const request: Command = async (session, words) => {
  const headers = [...words.named].map(([name, value]): [string, string] => [
    name.replace('header:', ''),
    value,
  ]);
  const answer = await session.client.request({
    subject: wordAt(words, 0, 'a subject'),
    headers,
    body: words.quoted ?? '',
  });
  if (answer === null) return ['no answer'];
  return [answer.status === 0 ? JSON.stringify(answer.body) : statusLine(answer)];
};

const commands: Readonly<Record<string, Command>> = {
  ...streamCommands,
  ...consumerCommands,
  wait,
  at,
  mark,
  restart,
  kill,
  listen,
  heard,
  request,
};

/**
 * A session on a target, as an interpreter of script lines. Besides the commands of the table:
 * `api STREAM.INFO.T {"deleted_details":true} | state.deleted error.code` calls the API and prints these parts of the answer as JSON;
 * `open` makes a second, bare connection, `> SUB a 1` sends a line on it, `sync` prints what came back, byte for byte.
 */
export async function openVocabulary(
  target: GoldenTarget,
): Promise<{ readonly interpret: Interpreter; close(): void }> {
  const session = new GoldenSession(target);
  await session.client.open();
  const raw = new RawClient(target);
  const interpret = async (line: string): Promise<readonly string[]> => {
    if (line.startsWith('api ')) return callApi(session, line);
    if (line === 'open') return raw.open();
    if (line === 'sync') return raw.sync();
    if (line.startsWith('> ')) return raw.send(unescapeBytes(line.slice(2)));
    const words = splitWords(line);
    const command = commands[words.verb];
    if (command === undefined) throw new Error(`golden scripts know no command ${words.verb}`);
    return [
      ...(await command(session, words)),
      ...session.client.errors.splice(0).map((text) => `-ERR ${text}`),
    ];
  };
  const close = (): void => {
    raw.close();
    session.client.close();
  };
  return { interpret, close };
}

async function callApi(session: GoldenSession, line: string): Promise<readonly string[]> {
  const match = /^api (\S+)(?: (\{.*\}))?(?: \| (.*))?$/.exec(line);
  if (match === null) throw new Error(`api SUBJECT {request} | parts: ${line}`);
  const answer = await session.api(match[1] ?? '', match[2] ?? '');
  if (typeof answer === 'string') return [answer];
  if (match[3] === undefined) return [JSON.stringify(answer)];
  return match[3].split(' ').map((path) => `${path} ${JSON.stringify(partOf(answer, path)) ?? '-'}`);
}

function partOf(answer: Json, path: string): unknown {
  let part: unknown = answer;
  for (const name of path.split('.')) part = (part as Json | undefined)?.[name];
  return part;
}
