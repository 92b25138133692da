// Noise and damaged sessions: whatever a client sends, nothing is thrown and the next client is served. FUZZ_SEED and
// FUZZ_RUNS play other ones.

import { expect, it } from 'vitest';

import { Prng } from '../../../engine/base/prng.ts';
import { publishText, VirtualBroker } from '../../support/virtual-broker.ts';

const seed = process.env['FUZZ_SEED'] ?? 'fuzz-1';
const runs = Number(process.env['FUZZ_RUNS'] ?? 400);

const config = {
  durable_name: 'c',
  ack_policy: 'explicit',
  ack_wait: 1e9,
  max_deliver: 2,
  backoff: [1e9, 2e9],
};
const call = (name: string, body: object | string): string =>
  publishText(`$JS.API.${name}`, typeof body === 'string' ? body : JSON.stringify(body), {
    reply: '_INBOX.f',
  });

/** A session that does a little of everything, one frame each. */
const session: readonly string[] = [
  'CONNECT {"verbose":false,"headers":true,"no_responders":true,"protocol":1}\r\n',
  'PING\r\n',
  'SUB _INBOX.f 1\r\n',
  'SUB t.* workers 2\r\n',
  call('STREAM.CREATE.T', {
    name: 'T',
    subjects: ['t.>'],
    max_msgs: 9,
    max_age: 1e9,
    allow_rollup_hdrs: true,
    allow_direct: true,
  }),
  call('STREAM.CREATE.I', { name: 'I', subjects: ['_INBOX.>'], max_msgs: 50 }),
  call('STREAM.UPDATE.T', {
    name: 'T',
    subjects: ['t.>', 'u'],
    duplicate_window: 2e8,
    retention: 'interest',
  }),
  call('CONSUMER.CREATE.T.c', { stream_name: 'T', config }),
  call('CONSUMER.CREATE.T.d.t.a', {
    stream_name: 'T',
    config: {
      ack_policy: 'all',
      filter_subject: 't.a',
      deliver_policy: 'by_start_sequence',
      opt_start_seq: 3,
    },
  }),
  publishText('t.a', 'hello', { reply: '_INBOX.f', headers: { 'Nats-Msg-Id': 'a' } }),
  publishText('t.b', 'hello', {
    reply: '_INBOX.f',
    headers: { 'Nats-Expected-Last-Sequence': '1', 'Nats-Rollup': 'sub' },
  }),
  call('CONSUMER.MSG.NEXT.T.c', { batch: 5, expires: 1e9, idle_heartbeat: 1e8, max_bytes: 1000 }),
  call('CONSUMER.MSG.NEXT.T.d', '3'),
  publishText('$JS.ACK.T.c.1.1.1.1800000000000000000.0', '+NXT {"batch":2}', { reply: '_INBOX.f' }),
  publishText('$JS.ACK.T.c.1.2.2.1800000000000000000.0', '-NAK {"delay": 1000}', { reply: '_INBOX.f' }),
  publishText('$JS.ACK.T.c.1.3.3.1800000000000000000.0', '+TERM because'),
  call('STREAM.MSG.GET.T', { seq: 2 }),
  call('STREAM.MSG.GET.T', { start_time: '2027-01-15T08:00:00Z', next_by_subj: 't.>' }),
  call('STREAM.MSG.DELETE.T', { seq: 1 }),
  call('STREAM.PURGE.T', { filter: 't.a', keep: 1 }),
  call('STREAM.INFO.T', { subjects_filter: '>', deleted_details: true, offset: 0 }),
  call('CONSUMER.INFO.T.c', ''),
  call('DIRECT.GET.T', { last_by_subj: 't.*' }),
  call('STREAM.LIST', { offset: 1 }),
  'UNSUB 2 1\r\n',
  call('CONSUMER.DELETE.T.d', ''),
  'PONG\r\n',
];

const numbers = [
  '0',
  '-1',
  '1.5',
  '1e300',
  '9007199254740993',
  '18446744073709551615',
  'null',
  '"1"',
  '[]',
  '{}',
  'true',
  '1000000000',
];
const insertions = ['\r\n', ' ', '\0', '\t', '.', '*', '>', '{', '}', '"', ':', 'Nats-', '\u00ff'];

/** One frame, damaged in one place. */
function mutate(frame: string, prng: Prng): string {
  const at = prng.int(0, frame.length);
  switch (prng.int(0, 5)) {
    case 0:
      return frame.slice(0, at) + prng.pick(insertions) + frame.slice(at);
    case 1:
      return frame.slice(0, at) + frame.slice(at + prng.int(1, 4));
    case 2:
      return frame.slice(0, at) + String.fromCharCode(prng.int(0, 255)) + frame.slice(at + 1);
    case 3:
      return withBody(frame, (body) =>
        body.replace(/-?\d+(?=[,}\]])/g, (number) => (prng.chance(0.5) ? prng.pick(numbers) : number)),
      );
    case 4:
      return withBody(frame, (body) =>
        body.replace(/"[^"]*"(?=[,}\]])/g, (text) =>
          prng.chance(0.5)
            ? prng.pick(['""', '"a b"', '">"', '"\u00e9"', '7', 'null', '"all"', '"new"', '"none"'])
            : text,
        ),
      );
    default:
      return frame + frame;
  }
}

/** A publish frame with another body and the right size. */
function withBody(frame: string, change: (body: string) => string): string {
  const match = /^PUB (\S+ \S+) \d+\r\n([^]*)\r\n$/.exec(frame);
  const body = change(match?.[2] ?? '');
  return match === null ? frame : `PUB ${match[1]} ${body.length}\r\n${body}\r\n`;
}

function playNoise(server: VirtualBroker, prng: Prng): void {
  const client = server.client(prng.chance(0.5) ? {} : null);
  const bytes = Uint8Array.from({ length: prng.int(1, 300) }, () => prng.int(0, 255));
  client.send(bytes);
  client.send('\r\n', bytes);
}

function playDamaged(server: VirtualBroker, prng: Prng): void {
  let client = server.client(null);
  client.send(session[0] ?? '');
  for (const frame of session) {
    if (client.isClosed) {
      client = server.client(null);
      client.send(session[0] ?? '');
    }
    const sent = prng.chance(0.3) ? mutate(frame, prng) : frame;
    const cut = prng.int(0, sent.length);
    client.send(sent.slice(0, cut), sent.slice(cut));
    if (prng.chance(0.1)) server.pass(prng.int(0, 2e9));
  }
  client.connection.close();
}

it.each(['strict', 'nats'])('nothing that a client sends ends the server, profile %s', (profile) => {
  const prng = new Prng(`${seed}-${profile}`);
  for (let run = 0; run < runs; run += 1) {
    const server = new VirtualBroker({ flags: { profile } });
    try {
      if (run % 4 === 0) playNoise(server, prng);
      else playDamaged(server, prng);
      const fresh = server.client();
      fresh.api('STREAM.CREATE.LATER', { name: 'LATER', subjects: ['later'] });
      expect(fresh.store('later', 'x')).toMatchObject({ stream: 'LATER', seq: 1 });
      server.pass(10e9);
    } catch (cause) {
      throw new Error(`seed ${seed}, profile ${profile}, run ${run}`, { cause });
    }
  }
});
