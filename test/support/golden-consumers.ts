// Golden commands about pull consumers: deliveries, acknowledgements, and what the consumer tells about itself.

import type { Inbox, Received } from './golden-client.ts';
import { configOf, statusLine, textOf, wordAt } from './golden-session.ts';
import type { GoldenSession, Json } from './golden-session.ts';
import type { Command } from './golden-streams.ts';
import { formatDuration, formatField, parseDurationNs } from './golden-values.ts';
import type { Words } from './golden-values.ts';

/** `consumer T c ack_wait=1s`: a durable pull consumer with explicit acks, unless it says otherwise. `action=create` demands a new one. */
const createConsumer: Command = (session, words) => {
  const [stream = '', name = ''] = words.plain;
  session.streams.set(name, stream);
  const { action, ...config } = configOf(words, { durable_name: name, ack_policy: 'explicit' });
  session.configs.set(`${stream} ${name}`, config);
  return sendConsumer(session, stream, name, config, action);
};

/** `consumer-update T c max_deliver=2`: the configuration sent before, with these fields changed. */
const updateConsumer: Command = async (session, words) => {
  const [stream = '', name = ''] = words.plain;
  const config = configOf(words, session.configs.get(`${stream} ${name}`) ?? {});
  const lines = await sendConsumer(session, stream, name, config, 'update');
  if (lines[0] === 'ok') session.configs.set(`${stream} ${name}`, config);
  return lines;
};

function sendConsumer(
  session: GoldenSession,
  stream: string,
  name: string,
  config: Json,
  action: unknown,
): Promise<string[]> {
  const request = { stream_name: stream, config, ...(action === undefined ? {} : { action }) };
  const filter = config['filter_subject'] === undefined ? '' : `.${textOf(config['filter_subject'])}`;
  return session.apiLine(`CONSUMER.CREATE.${stream}.${name}${filter}`, request, () => 'ok');
}

const deleteConsumer: Command = (session, words) =>
  session.apiLine(
    `CONSUMER.DELETE.${wordAt(words, 0, 'a stream')}.${wordAt(words, 1, 'a consumer')}`,
    '',
    () => 'ok',
  );

/** `consumer-config T c ack_wait`: these fields as the server keeps them. */
const consumerConfig: Command = (session, words) => {
  const [stream = '', name = '', ...fields] = words.plain;
  const told = (answer: Json): string =>
    fields.map((field) => formatField(field, (answer['config'] as Json)[field])).join(' ');
  return session.apiLine(`CONSUMER.INFO.${stream}.${name}`, '', told);
};

/** `info c`: `delivered c11/s11 floor c0/s0 ackpend 2 redel 0 pend 0`; `info c ackpend pend` prints these alone. */
const consumerInfo: Command = (session, words) => {
  const name = wordAt(words, 0, 'a consumer');
  const wanted = words.plain.slice(1);
  return session.apiLine(`CONSUMER.INFO.${session.streamOf(name)}.${name}`, '', (answer) => {
    const pair = (field: string): string => {
      const place = answer[field] as Json;
      return `c${textOf(place['consumer_seq'])}/s${textOf(place['stream_seq'])}`;
    };
    const facts: [string, string][] = [
      ['delivered', pair('delivered')],
      ['floor', pair('ack_floor')],
      ['ackpend', textOf(answer['num_ack_pending'])],
      ['redel', textOf(answer['num_redelivered'])],
      ['pend', textOf(answer['num_pending'])],
    ];
    if (wanted.includes('waiting')) facts.push(['waiting', textOf(answer['num_waiting'])]);
    return facts
      .filter(([fact]) => wanted.length === 0 || wanted.includes(fact))
      .flat()
      .join(' ');
  });
};

/** A pull request on its way: where its answers come, and how many deliveries end it. */
interface Pull {
  readonly inbox: Inbox;
  readonly consumer: string;
  readonly batch: number;
  readonly deadlineNs: number;
}

/** Fields of a pull request (spec 6.5); what else is named belongs to the command itself. */
const pullFields = new Set(['batch', 'expires', 'max_bytes', 'idle_heartbeat']);

function sendPull(session: GoldenSession, words: Words): Pull {
  const consumer = wordAt(words, 0, 'a consumer');
  const request: Record<string, unknown> = configOf(
    { ...words, named: new Map([...words.named].filter(([name]) => pullFields.has(name))) },
    {},
  );
  request['batch'] ??= 1;
  if (words.plain.includes('no_wait')) request['no_wait'] = true;
  else request['expires'] ??= 500e6;
  const inbox = session.client.inbox();
  const stream = words.named.get('stream') ?? session.streamOf(consumer);
  const body = words.quoted ?? JSON.stringify(request);
  session.client.publish({
    subject: `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
    reply: inbox.subject,
    body,
  });
  const deadlineNs = session.target.nowNs() + Number(request['expires'] ?? 0) + 1e9;
  return { inbox, consumer, batch: Math.max(1, Number(request['batch'])), deadlineNs };
}

async function awaitPull(session: GoldenSession, pull: Pull): Promise<readonly Received[]> {
  const { messages } = pull.inbox;
  const isOver = (): boolean => {
    const deliveries = messages.filter((message) => message.status === 0).length;
    return (
      deliveries >= pull.batch ||
      deliveries + messages.filter((message) => message.status === 100).length < messages.length
    );
  };
  await session.target.pass(pull.deadlineNs, isOver);
  session.client.unsubscribe(pull.inbox);
  return messages;
}

/**
 * `pull c batch=3 expires=400ms`, `no_wait`: a line a delivery, `s1c2d2` (stream sequence, consumer sequence, delivery count), then the status.
 * `subject`, `body`, `headers` and `pending` add that to each delivery; `code` leaves out a status's text. `after=900ms within=1.2s` is when the first one must come, counted from the command.
 * A quoted word is the request's own text. `as=p` lets it wait while the script goes on, until `pulled p`.
 */
const pull: Command = async (session, words) => {
  const startNs = session.target.nowNs();
  const request = sendPull(session, words);
  const name = words.named.get('as');
  if (name !== undefined) {
    waiting(session).set(name, { request, words, startNs });
    await session.client.flush();
    return [];
  }
  return pullLines(session, words, startNs, request.consumer, await awaitPull(session, request));
};

interface WaitingPull {
  readonly request: Pull;
  readonly words: Words;
  readonly startNs: number;
}

const waitingPulls = new WeakMap<GoldenSession, Map<string, WaitingPull>>();

function waiting(session: GoldenSession): Map<string, WaitingPull> {
  const known = waitingPulls.get(session) ?? new Map<string, WaitingPull>();
  waitingPulls.set(session, known);
  return known;
}

/** `pulled p`: what came of the pull that was sent `as=p`, once it is over. */
const pulled: Command = async (session, words) => {
  const name = wordAt(words, 0, 'the name of a waiting pull');
  const known = waiting(session).get(name);
  if (known === undefined) throw new Error(`no pull was sent as=${name}`);
  return pullLines(
    session,
    known.words,
    known.startNs,
    known.request.consumer,
    await awaitPull(session, known.request),
  );
};

/** `drop p`: nobody listens any more for what the pull sent `as=p` brings. */
const drop: Command = async (session, words) => {
  const known = waiting(session).get(wordAt(words, 0, 'the name of a waiting pull'));
  if (known !== undefined) session.client.unsubscribe(known.request.inbox);
  await session.client.flush();
  return [];
};

function pullLines(
  session: GoldenSession,
  words: Words,
  startNs: number,
  consumer: string,
  messages: readonly Received[],
): string[] {
  if (messages.length === 0) return ['no answer'];
  const first = messages.find((message) => message.status === 0);
  const lateness = first === undefined ? null : windowMissed(session, words, first.atNs - startNs);
  return messages.map((message) => {
    if (message.status !== 0 && words.plain.includes('code')) return String(message.status);
    if (message.status !== 0) return statusLine(message);
    const line = [remember(session, consumer, message), ...shown(words, message)].join(' ');
    return message === first && lateness !== null ? `${line} ${lateness}` : line;
  });
}

function shown(words: Words, message: Received): string[] {
  const extra: string[] = [];
  if (words.plain.includes('subject')) extra.push(message.subject);
  if (words.plain.includes('body')) extra.push(JSON.stringify(message.body));
  const headers = message.headers.map(([name, value]) => `${name}: ${value}`);
  if (words.plain.includes('headers')) extra.push(...headers);
  if (words.plain.includes('pending')) extra.push(`pend ${message.reply.split('.')[8] ?? '?'}`);
  return extra;
}

function windowMissed(session: GoldenSession, words: Words, elapsedNs: number): string | null {
  const afterNs = parseDurationNs(words.named.get('after') ?? '0');
  const withinNs = parseDurationNs(words.named.get('within') ?? '1h') + session.target.lateNs;
  if (elapsedNs >= afterNs && elapsedNs <= withinNs) return null;
  return `after ${formatDuration(Math.round(elapsedNs / 1e6) * 1e6)}`;
}

// $JS.ACK.<stream>.<consumer>.<delivery count>.<stream sequence>.<consumer sequence>.<time>.<pending> (spec 2.5)
function remember(session: GoldenSession, consumer: string, message: Received): string {
  const tokens = message.reply.split('.');
  if (tokens.length !== 9) return `not an ack subject: ${message.reply}`;
  const name = `s${tokens[5]}c${tokens[6]}d${tokens[4]}`;
  session.deliveries.set(name, message.reply);
  session.deliveries.set(`${consumer}/${name}`, message.reply);
  return name;
}

/** `ack s1c1d1 s2c2d1`, `nak s1c1d1 delay=1s`, `wpi …`, `term … "reason"`: with a reply asked for, so that each is done when it prints `ok`. */
function answering(verbBody: string): Command {
  return async (session, words) => {
    const delay = words.named.get('delay');
    const reason = words.quoted === null ? '' : ` ${words.quoted}`;
    const body =
      delay === undefined ? `${verbBody}${reason}` : `${verbBody} {"delay":${parseDurationNs(delay)}}`;
    const lines: string[] = [];
    for (const name of words.plain) lines.push(await answerOne(session, name, body));
    return lines.every((line) => line === 'ok') ? ['ok'] : lines;
  };
}

/** `answer s1c1d1 "+NXT"`: any body. */
const answerAny: Command = async (session, words) => [
  await answerOne(session, wordAt(words, 0, 'a delivery'), words.quoted ?? ''),
];

async function answerOne(session: GoldenSession, name: string, body: string): Promise<string> {
  const subject = session.deliveries.get(name);
  if (subject === undefined) throw new Error(`the script saw no delivery ${name}`);
  const answer = await session.client.request({ subject, body });
  if (answer === null) return 'no answer';
  if (answer.status !== 0) return statusLine(answer);
  return answer.body === '' ? 'ok' : answer.body;
}

/** `work c nak times=50`: pulls one and answers it (`ack`, `nak`, `term`), over and over; how many came and which was the last. */
const work: Command = async (session, words) => {
  const [consumer = '', answer = 'ack'] = words.plain;
  const body = { ack: '+ACK', nak: '-NAK', term: '+TERM' }[answer];
  if (body === undefined) throw new Error(`work answers ack, nak or term, not ${answer}`);
  const times = Number(words.named.get('times') ?? 1);
  let last = '';
  for (let count = 0; count < times; count += 1) {
    const messages = await awaitPull(
      session,
      sendPull(session, { ...words, plain: [consumer], named: new Map() }),
    );
    const delivery = messages.find((message) => message.status === 0);
    if (delivery === undefined) return [`${count} deliveries, last ${last}`];
    last = remember(session, consumer, delivery);
    await answerOne(session, last, body);
  }
  return [`${times} deliveries, last ${last}`];
};

/**
 * `crowd c pullers=16 expires=10ms for=3s most=9`: that many pull one at a time, and again when it expires; nobody acks (case C44).
 * How many deliveries came twice, how many messages there were, and whether the deliveries were too many.
 */
const crowd: Command = async (session, words) => {
  const consumer = wordAt(words, 0, 'a consumer');
  const expires = words.named.get('expires') ?? '10ms';
  const untilNs = session.target.nowNs() + parseDurationNs(words.named.get('for') ?? '1s');
  const request: Words = { ...words, plain: [consumer], named: new Map([['expires', expires]]) };
  const seen: string[] = [];
  let active = Array.from({ length: Number(words.named.get('pullers') ?? 16) }, () =>
    sendPull(session, request),
  );
  const isOver = (one: Pull): boolean => one.inbox.messages.length > 0;
  while (session.target.nowNs() < untilNs) {
    await session.target.pass(untilNs, () => active.some(isOver));
    active = active.map((one) => {
      if (!isOver(one)) return one;
      const deliveries = one.inbox.messages.filter((message) => message.status === 0);
      seen.push(...deliveries.map((message) => remember(session, consumer, message).replace(/c\d+/, '')));
      session.client.unsubscribe(one.inbox);
      return sendPull(session, request);
    });
  }
  const most = Number(words.named.get('most'));
  const messageCount = new Set(seen.map((delivery) => delivery.replace(/d\d+/, ''))).size;
  const total = seen.length > most ? `${seen.length} deliveries` : `at most ${most} deliveries`;
  return [`repeats ${seen.length - new Set(seen).size}`, `messages ${messageCount}`, total];
};

export const consumerCommands: Readonly<Record<string, Command>> = {
  consumer: createConsumer,
  'consumer-update': updateConsumer,
  'consumer-delete': deleteConsumer,
  'consumer-config': consumerConfig,
  info: consumerInfo,
  pull,
  pulled,
  drop,
  ack: answering('+ACK'),
  nak: answering('-NAK'),
  wpi: answering('+WPI'),
  term: answering('+TERM'),
  answer: answerAny,
  work,
  crowd,
};
