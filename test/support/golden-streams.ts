// Golden commands about streams and what is published into them.

import { readHeaderBlock } from './golden-client.ts';
import type { Inbox } from './golden-client.ts';
import { configOf, errorLine, statusLine, textOf, wordAt } from './golden-session.ts';
import type { GoldenSession, Json } from './golden-session.ts';
import { formatField } from './golden-values.ts';
import type { Words } from './golden-values.ts';

export type Command = (session: GoldenSession, words: Words) => Promise<readonly string[]>;

/** `id=1` and its like, as the header that they stand for (spec 4.2). */
const publishHeaders: Readonly<Record<string, string>> = {
  id: 'Nats-Msg-Id',
  'expect-stream': 'Nats-Expected-Stream',
  'expect-last-seq': 'Nats-Expected-Last-Sequence',
  'expect-last-id': 'Nats-Expected-Last-Msg-Id',
  'expect-subject-seq': 'Nats-Expected-Last-Subject-Sequence',
  'expect-subject': 'Nats-Expected-Last-Subject-Sequence-Subject',
  rollup: 'Nats-Rollup',
  ttl: 'Nats-TTL',
};

/** `stream T max_msgs=5`: creates T over the subjects `t.>`, unless it says others. */
const createStream: Command = async (session, words) => {
  const name = wordAt(words, 0, 'the name of a stream');
  const config = configOf(words, { name, subjects: [`${name.toLowerCase()}.>`] });
  session.configs.set(name, config);
  return session.apiLine(`STREAM.CREATE.${name}`, config, () => 'ok');
};

/** `stream-update T max_msgs=5`: the configuration sent before, with these fields changed. */
const updateStream: Command = async (session, words) => {
  const name = wordAt(words, 0, 'the name of a stream');
  const config = configOf(words, session.configs.get(name) ?? {});
  const lines = await session.apiLine(`STREAM.UPDATE.${name}`, config, () => 'ok');
  if (lines[0] === 'ok') session.configs.set(name, config);
  return lines;
};

const deleteStream: Command = (session, words) =>
  session.apiLine(`STREAM.DELETE.${wordAt(words, 0, 'the name of a stream')}`, '', () => 'ok');

/** `config T duplicate_window max_age`: these fields as the server keeps them. */
const streamConfig: Command = (session, words) => {
  const [name = '', ...fields] = words.plain;
  const told = (answer: Json): string => {
    const config = answer['config'] as Json;
    return fields.map((field) => formatField(field, config[field])).join(' ');
  };
  return session.apiLine(`STREAM.INFO.${name}`, '', told);
};

/** `state T`: `messages 2 first 2 last 3 deleted 1`. */
const streamState: Command = (session, words) => {
  const told = (answer: Json): string => {
    const state = answer['state'] as Json;
    const deleted = textOf(state['num_deleted'] ?? 0);
    return `messages ${textOf(state['messages'])} first ${textOf(state['first_seq'])} last ${textOf(state['last_seq'])} deleted ${deleted}`;
  };
  return session.apiLine(`STREAM.INFO.${wordAt(words, 0, 'the name of a stream')}`, '', told);
};

/** `purge T seq=7`, `filter=t.a`, `keep=1`. */
const purgeStream: Command = (session, words) =>
  session.apiLine(
    `STREAM.PURGE.${wordAt(words, 0, 'the name of a stream')}`,
    configOf(words, {}),
    (answer) => `purged ${textOf(answer['purged'])}`,
  );

/** `msg-delete T 3`. */
const deleteMessage: Command = (session, words) =>
  session.apiLine(
    `STREAM.MSG.DELETE.${wordAt(words, 0, 'the name of a stream')}`,
    { seq: Number(wordAt(words, 1, 'a sequence')) },
    () => 'ok',
  );

/** `get T 3`, `get T last_by_subj=t.a`: `s3 t.a "body" Nats-Msg-Id: 1`. */
const getMessage: Command = (session, words) => {
  const [name = '', sequence] = words.plain;
  const selector = sequence === undefined ? {} : { seq: Number(sequence) };
  return session.apiLine(`STREAM.MSG.GET.${name}`, configOf(words, selector), (answer) => {
    const message = answer['message'] as Json;
    const text = (field: string): string =>
      Buffer.from(textOf(message[field] ?? ''), 'base64').toString('latin1');
    const headers = readHeaderBlock(text('hdrs')).headers.map(([own, value]) => `${own}: ${value}`);
    return [
      `s${textOf(message['seq'])}`,
      textOf(message['subject']),
      JSON.stringify(text('data')),
      ...headers,
    ].join(' ');
  });
};

/**
 * `pub t.a "body" id=1 expect-last-seq=4 header:Name=value`: `ok 1`, `dup 1`, `err 10077 …`, `no responders`, `no answer`.
 * `times=200` sends that many at once, `%` in subject and id being the number of each, and prints one line for equal answers in a row;
 * `size=100` is for a body of that length; `verbatim` prints the answer's own bytes.
 */
const publish: Command = async (session, words) => {
  const times = Number(words.named.get('times') ?? 1);
  const sent: Inbox[] = [];
  for (let number = 1; number <= times; number += 1) sent.push(publishOne(session, words, number));
  const deadlineNs = session.target.nowNs() + 1e9;
  await session.target.pass(deadlineNs, () => sent.every((inbox) => inbox.messages.length > 0));
  for (const inbox of sent) session.client.unsubscribe(inbox);
  return joinRuns(sent.map((inbox) => publishAnswer(inbox, words.plain.includes('verbatim'))));
};

function publishOne(session: GoldenSession, words: Words, number: number): Inbox {
  const numbered = (text: string): string => text.replace('%', String(number));
  const headers: [string, string][] = [];
  for (const [name, value] of words.named) {
    const header = name.startsWith('header:') ? name.slice('header:'.length) : publishHeaders[name];
    if (header !== undefined) headers.push([header, numbered(value)]);
    else if (name !== 'times' && name !== 'size') throw new Error(`pub knows no ${name}`);
  }
  const inbox = session.client.inbox();
  const body = words.quoted ?? 'x'.repeat(Number(words.named.get('size') ?? 0));
  session.client.publish({
    subject: numbered(wordAt(words, 0, 'a subject')),
    reply: inbox.subject,
    headers,
    body,
  });
  return inbox;
}

function publishAnswer(inbox: Inbox, isVerbatim: boolean): string {
  const message = inbox.messages[0];
  if (message === undefined) return 'no answer';
  if (message.status !== 0) return statusLine(message);
  if (isVerbatim) return message.body;
  const answer = JSON.parse(message.body) as Json;
  return errorLine(answer) ?? `${answer['duplicate'] === true ? 'dup' : 'ok'} ${textOf(answer['seq'])}`;
}

// `ok 1`, `ok 2`, `ok 3` in a row are one line `ok 1…3`; so are equal lines, with how many there were.
function joinRuns(lines: readonly string[]): string[] {
  const runs: { line: string; kind: string; first: number; last: number; count: number }[] = [];
  for (const line of lines) {
    const [, kind = '', digits = ''] = /^(ok|dup) (\d+)$/.exec(line) ?? [];
    const before = runs.at(-1);
    const isNext = kind !== '' && kind === before?.kind && Number(digits) === before.last + 1;
    if (before !== undefined && isNext) before.last += 1;
    else if (before !== undefined && before.line === line) before.count += 1;
    else runs.push({ line, kind, first: Number(digits), last: Number(digits), count: 1 });
  }
  return runs.map(({ line, kind, first, last, count }) => {
    if (last > first) return `${kind} ${first}…${last}`;
    return count === 1 ? line : `${count} times ${line}`;
  });
}

export const streamCommands: Readonly<Record<string, Command>> = {
  stream: createStream,
  'stream-update': updateStream,
  'stream-delete': deleteStream,
  config: streamConfig,
  state: streamState,
  purge: purgeStream,
  'msg-delete': deleteMessage,
  get: getMessage,
  pub: publish,
};
