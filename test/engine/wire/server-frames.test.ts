import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Prng } from '../../../engine/base/prng.ts';
import { dumbServerEvents } from './dumb-reader.ts';
import { cut, serverEvents } from './recorded.ts';

const block = 'NATS/1.0\r\nFoo: barr\r\n\r\n';
const session = [
  'INFO {"server_id":"N","headers":true}\r\n',
  '+OK\r\n',
  'PONG\r\n',
  'MSG s.a 9 2\r\nhi\r\n',
  'MSG s.a 9 $JS.ACK.S.C.1.1.1.1.0 0\r\n\r\n',
  `HMSG a 1 r 23 25\r\n${block}hi\r\n`,
  'HMSG _INBOX.1 9 16 16\r\nNATS/1.0 503\r\n\r\n\r\n',
  'HMSG _INBOX.1 9 28 28\r\nNATS/1.0 404 No Messages\r\n\r\n\r\n',
  "-ERR 'Authorization Violation'\r\n",
  'PING\r\n',
];
const events = [
  ['info', '{"server_id":"N","headers":true}'],
  ['ok'],
  ['pong'],
  ['message', 's.a', '9', '', 0, '', 'hi'],
  ['message', 's.a', '9', '$JS.ACK.S.C.1.1.1.1.0', 0, '', ''],
  ['message', 'a', '1', 'r', 0, block, 'hi'],
  ['message', '_INBOX.1', '9', '', 503, 'NATS/1.0 503\r\n\r\n', ''],
  ['message', '_INBOX.1', '9', '', 404, 'NATS/1.0 404 No Messages\r\n\r\n', ''],
  ['error', 'Authorization Violation'],
  ['ping'],
];

describe('a server session', () => {
  test('is told frame by frame', () => {
    expect(serverEvents([session.join('')])).toEqual(events);
  });

  test('gives the same events wherever it is cut in two, and byte by byte', () => {
    const text = session.join('');
    for (let at = 0; at <= text.length; at += 1) {
      expect(serverEvents([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(events);
    }
    expect(serverEvents(text)).toEqual(events);
  });

  test.each([
    ['NATS/1.0\r\n\r\n', 0],
    ['NATS/1.0 100 Idle Heartbeat\r\n\r\n', 100],
    ['NATS/1.0 4x4\r\n\r\n', 0],
    ['NATS/1.0 50', 0],
    ['abcd', 0],
  ])('status of %j is %i', (header, status) => {
    const bytes = `HMSG a 1 ${header.length} ${header.length}\r\n${header}\r\n`;
    expect(serverEvents([bytes])).toEqual([['message', 'a', '1', '', status, header, '']]);
  });
});

describe('violations', () => {
  test.each([
    ['an unknown operation', 'PUB a 1\r\n', 'the server sent an unknown operation'],
    ['an operation that only begins like one', 'MSGa 1 2\r\n', 'the server sent an unknown operation'],
    ['a message without a size', 'MSG a 1\r\n', 'the server sent a message line of 3 bytes that is not one'],
    ['a payload above the limit', 'MSG a 1 1048577\r\n', 'the server sent 1048577 bytes, more than 1048576'],
    ['a payload without CRLF', 'MSG a 1 1\r\nabcd', 'the server sent a payload without CRLF behind it'],
    ['a line without end', `INFO ${'x'.repeat(5000)}`, 'the server sent a control line of over 4096 bytes'],
  ])('%s', (_, bytes, text) => {
    expect(serverEvents([`PING\r\n${bytes}PING\r\n`])).toEqual([['ping'], ['violation', text]]);
    expect(serverEvents(`PING\r\n${bytes}PING\r\n`), 'byte by byte').toEqual([['ping'], ['violation', text]]);
  });
});

const word = fc.stringMatching(/^[!-~]{1,12}$/);
const blank = fc.constantFrom(' ', '\t', '  ');
const message = fc
  .tuple(
    fc.constantFrom('MSG', 'msg', 'Msg'),
    fc.option(fc.constantFrom('NATS/1.0\r\n\r\n', 'NATS/1.0 408 Request Timeout\r\na:b\r\n\r\n', 'x')),
    fc.array(word, { minLength: 2, maxLength: 3 }),
    blank,
    fc.string({ unit: 'binary-ascii', maxLength: 60 }),
  )
  .map(([operation, header, words, gap, payload]) => {
    const headerText = header ?? '';
    const sizes =
      header === null ? [payload.length] : [headerText.length, headerText.length + payload.length];
    return `${[header === null ? operation : `H${operation}`, ...words, ...sizes].join(gap)}\r\n${headerText}${payload}\r\n`;
  });
const plain = fc.constantFrom(
  'PING\r\n',
  'pong\r\n',
  '+OK\r\n',
  "-ERR 'Stale Connection'\r\n",
  'INFO {"port":4222}\r\n',
);

test('against the dumb reader: any session, cut anywhere and ended anywhere', () => {
  const sessions = fc.array(fc.oneof({ arbitrary: message, weight: 3 }, plain), { maxLength: 12 });
  fc.assert(
    fc.property(
      sessions,
      fc.array(fc.nat({ max: 900 })),
      fc.nat({ max: 40 }),
      (frames, positions, lostBytes) => {
        const whole = frames.join('');
        const text = whole.slice(0, Math.max(0, whole.length - lostBytes));
        expect(serverEvents(cut(text, positions))).toEqual(dumbServerEvents(text));
      },
    ),
    { numRuns: 400 },
  );
});

test('mutated sessions neither throw nor depend on the chunks', () => {
  const prng = new Prng('mutated server sessions');
  const small = { maxControlLine: 64, maxPayload: 100 };
  for (let round = 0; round < 1000; round += 1) {
    const characters = session.join('').split('');
    for (let count = prng.int(1, 4); count > 0; count -= 1) {
      characters[prng.int(0, characters.length - 1)] = String.fromCharCode(prng.int(0, 255));
    }
    const text = characters.join('');
    const whole = serverEvents([text], small);
    expect(serverEvents(text, small), JSON.stringify(text)).toEqual(whole);
    expect(whole.findIndex(([kind]) => kind === 'violation')).toBeOneOf([-1, whole.length - 1]);
  }
});
