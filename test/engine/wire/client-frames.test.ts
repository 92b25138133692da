import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latin1Bytes } from '../../../engine/base/bytes.ts';
import { Prng } from '../../../engine/base/prng.ts';
import { ClientFrameReader } from '../../../engine/wire/client-frames.ts';
import { dumbClientEvents } from './dumb-reader.ts';
import { clientEvents, cut, limits } from './recorded.ts';

const header = 'NATS/1.0\r\nFoo: barr\r\n\r\n';
const session = [
  'CONNECT {"verbose":false,"headers":true}\r\n',
  'PING\r\n',
  'SUB s.> 1\r\n',
  'sub  s.x\tworkers   22 \r\n',
  'PUB s.a 2\r\nhi\r\n',
  'PUB s.b _INBOX.1 0\r\n\r\n',
  `HPUB a r 23 25\r\n${header}hi\r\n`,
  `hpub a 23 23\r\n${header}\r\n`,
  'pub\ts.c\t\t4\r\n\r\n\r\n\r\n',
  'UNSUB 1 2\r\n',
  'Unsub 22\n',
  'pong\r\n',
];
const sessionEvents = [
  ['connect', '{"verbose":false,"headers":true}'],
  ['ping'],
  ['subscribe', 's.>', null, '1'],
  ['subscribe', 's.x', 'workers', '22'],
  ['publish', 's.a', '', '', 'hi'],
  ['publish', 's.b', '_INBOX.1', '', ''],
  ['publish', 'a', 'r', header, 'hi'],
  ['publish', 'a', '', header, ''],
  ['publish', 's.c', '', '', '\r\n\r\n'],
  ['unsubscribe', '1', 2],
  ['unsubscribe', '22', 0],
  ['pong'],
];

describe('a valid session', () => {
  test('is told frame by frame', () => {
    expect(clientEvents([session.join('')])).toEqual(sessionEvents);
  });

  test('gives the same events wherever it is cut in two, and byte by byte', () => {
    const text = session.join('');
    for (let at = 0; at <= text.length; at += 1) {
      expect(clientEvents([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(sessionEvents);
    }
    expect(clientEvents(text)).toEqual(sessionEvents);
  });

  test('a frame inside a chunk is read where it lies; only one that crosses chunks is copied', () => {
    const seen: Uint8Array[] = [];
    const nothing = (): void => {};
    const reader = new ClientFrameReader(
      {
        connect: nothing,
        publish: (frame) => seen.push(frame.bytes),
        subscribe: nothing,
        unsubscribe: nothing,
        ping: nothing,
        pong: nothing,
        violation: nothing,
      },
      limits,
    );
    const first = latin1Bytes('PUB a 1\r\nx\r\nPUB a 1\r\ny');
    const second = latin1Bytes('\r\nPUB a 1\r\nz\r\n');
    reader.feed(first);
    reader.feed(second);
    expect(seen).toHaveLength(3);
    expect(seen[0]).toBe(first);
    expect(seen[1]).not.toBe(second);
    expect(seen[2]).toBe(second);
  });

  test('stop ends it, also within a chunk', () => {
    let count = 0;
    const reader = new ClientFrameReader(
      {
        connect: () => {},
        publish: () => {},
        subscribe: () => {},
        unsubscribe: () => {},
        ping: () => {
          count += 1;
          reader.stop();
        },
        pong: () => {},
        violation: () => {},
      },
      limits,
    );
    reader.feed(latin1Bytes('PING\r\nPING\r\n'));
    reader.feed(latin1Bytes('PING\r\n'));
    expect(count).toBe(1);
  });
});

// Each was seen on nats-server 2.10.27 and 2.15.1, header refusal excepted: those hang up without saying why.
const violations: readonly (readonly [string, string, string | null])[] = [
  ['an unknown operation', 'XYZ a\r\n', 'Unknown Protocol Operation'],
  ['an operation cut by a space', 'PIN G\r\n', 'Unknown Protocol Operation'],
  ['an empty line', '\r\n', 'Unknown Protocol Operation'],
  ['PUB without a blank', 'PUB\r\n', 'Unknown Protocol Operation'],
  ['PUB without arguments', 'PUB \r\n', null],
  ['PUB without a size', 'PUB a\r\n', null],
  ['PUB with four arguments', 'PUB a b c 1\r\nx\r\n', null],
  ['a size that is no number', 'PUB a 1x\r\n', null],
  ['a negative size', 'PUB a -1\r\n', null],
  ['a size of more than nine digits', 'PUB a 99999999999\r\n', null],
  ['a header larger than the total', 'HPUB a 20 12\r\n', null],
  ['a payload longer than its size', 'PUB a 2\r\nhix\r\n', 'Unknown Protocol Operation'],
  ['a payload ended by LF alone', 'PUB a 2\r\nhi\nP', 'Unknown Protocol Operation'],
  ['a payload above the limit (A5)', 'PUB a 2000000\r\n', 'Maximum Payload Violation'],
  ['header and payload above the limit', 'HPUB a 1048570 1048577\r\n', 'Maximum Payload Violation'],
  ['SUB without a sid', 'SUB a\r\n', null],
  ['SUB with four arguments', 'SUB a b c d\r\n', null],
  ['UNSUB without a sid', 'UNSUB \r\n', null],
  ['UNSUB with three arguments', 'UNSUB 1 2 3\r\n', null],
  ['-ERR from a client', "-ERR 'x'\r\n", null],
  ['a control line one byte too long', `SUB a${'b'.repeat(4094)} 1\r\n`, 'maximum control line exceeded'],
  ['a control line without end', `SUB ${'a'.repeat(5000)}`, 'maximum control line exceeded'],
  ['an endless CONNECT', `CONNECT ${'{'.repeat(5000)}`, 'maximum control line exceeded'],
];

describe('violations', () => {
  test.each(violations)('%s', (_, bytes, text) => {
    const before = 'CONNECT {}\r\n';
    const expected = [
      ['connect', '{}'],
      ['violation', text],
    ];
    expect(clientEvents([`${before}${bytes}PING\r\n`])).toEqual(expected);
    expect(clientEvents(`${before}${bytes}PING\r\n`), 'byte by byte').toEqual(expected);
  });

  test('HPUB before CONNECT allowed headers', () => {
    const events = clientEvents([`HPUB a 23 23\r\n${header}\r\n`], limits, false);
    expect(events).toEqual([['violation', 'message headers not supported']]);
  });

  test('the longest control line passes, as does the largest payload', () => {
    const subject = `a${'b'.repeat(4093)}`;
    expect(clientEvents([`SUB ${subject} 1\r\n`])).toEqual([['subscribe', subject, null, '1']]);
    expect(clientEvents([`SUB ${subject} 1\r`, '\n'])).toEqual([['subscribe', subject, null, '1']]);
    const payload = 'x'.repeat(limits.maxPayload);
    const pieces = cut(`PUB a ${payload.length}\r\n${payload}\r\nPING\r\n`, [65_536, 131_072, 700_000]);
    expect(clientEvents(pieces)).toEqual([['publish', 'a', '', '', payload], ['ping']]);
  });
});

describe('what nats-server lets pass', () => {
  test.each([
    ['text behind PING', 'PINGabc\r\n', ['ping']],
    ['CONNECT without a blank', 'CONNECT{}\r\n', ['connect', '{}']],
    ['CR as a blank', 'SUB a\r1\r\n', ['subscribe', 'a', null, '1']],
    ['a max that is no number', 'UNSUB 1 x\r\n', ['unsubscribe', '1', 0]],
    ['a negative max', 'UNSUB 1 -1\r\n', ['unsubscribe', '1', 0]],
    ['a header of no bytes', 'HPUB a 0 2\r\nhi\r\n', ['publish', 'a', '', '', 'hi']],
    ['a header that is none', 'HPUB a 4 6\r\nabcdhi\r\n', ['publish', 'a', '', 'abcd', 'hi']],
    ['lines ended by LF alone', 'PUB a 2\nhi\r\n', ['publish', 'a', '', '', 'hi']],
  ])('%s', (_, bytes, event) => {
    expect(clientEvents([bytes])).toEqual([event]);
    expect(clientEvents(bytes), 'byte by byte').toEqual([event]);
  });

  test('+OK and INFO from a client say nothing', () => {
    expect(clientEvents(['+OK\r\nINFO {}\r\nPING\r\n'])).toEqual([['ping']]);
  });
});

const word = fc.stringMatching(/^[!-~]{1,12}$/);
const blank = fc.constantFrom(' ', '\t', '  ', ' \t ');
const lineEnding = fc.constantFrom('\r\n', '\n');
const bodyText = fc.string({ unit: 'binary-ascii', maxLength: 60 });
const anyCase = (operation: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    operation,
    operation.toLowerCase(),
    `${operation.slice(0, 2).toLowerCase()}${operation.slice(2)}`,
  );

const publish = fc
  .tuple(
    anyCase('PUB'),
    fc.boolean(),
    fc.array(word, { minLength: 1, maxLength: 2 }),
    blank,
    lineEnding,
    bodyText,
    bodyText,
  )
  .map(([operation, hasHeaders, words, gap, ending, headerText, payload]) => {
    const sizes = hasHeaders
      ? [headerText.length, headerText.length + payload.length]
      : [headerText.length + payload.length];
    const line = [hasHeaders ? `h${operation}` : operation, ...words, ...sizes].join(gap);
    return `${line}${ending}${headerText}${payload}\r\n`;
  });
const subscribe = fc
  .tuple(anyCase('SUB'), fc.array(word, { minLength: 2, maxLength: 3 }), blank, lineEnding)
  .map(([operation, words, gap, ending]) => `${[operation, ...words].join(gap)}${ending}`);
const unsubscribe = fc
  .tuple(anyCase('UNSUB'), word, fc.option(fc.nat()), blank, lineEnding)
  .map(([operation, sid, max, gap, ending]) =>
    max === null || String(max).length > 9
      ? `${operation}${gap}${sid}${ending}`
      : `${operation}${gap}${sid}${gap}${max}${ending}`,
  );
const plain = fc
  .tuple(fc.constantFrom('PING', 'pong', 'Ping', 'CONNECT {"name":"a b"}'), lineEnding)
  .map((parts) => parts.join(''));
const sessions = fc.array(fc.oneof({ arbitrary: publish, weight: 3 }, subscribe, unsubscribe, plain), {
  maxLength: 12,
});
const cuts = fc.array(fc.nat({ max: 900 }), { maxLength: 8 });

describe('against the dumb reader', () => {
  test('any valid session, cut anywhere and ended anywhere', () => {
    fc.assert(
      fc.property(sessions, cuts, fc.nat({ max: 40 }), (frames, positions, lostBytes) => {
        const whole = frames.join('');
        const text = whole.slice(0, Math.max(0, whole.length - lostBytes));
        expect(clientEvents(cut(text, positions))).toEqual(dumbClientEvents(text));
      }),
      { numRuns: 400 },
    );
  });
});

describe('broken input', () => {
  const small = { maxControlLine: 64, maxPayload: 100 };

  test('mutated sessions neither throw nor go outside the limits, and chunks do not change what is told', () => {
    const prng = new Prng('mutated client sessions');
    for (let round = 0; round < 1500; round += 1) {
      const bytes = mutated(session.join(''), prng);
      const whole = clientEvents([bytes], small);
      expect(clientEvents(bytes, small), JSON.stringify(bytes)).toEqual(whole);
      expect(whole.findIndex(([kind]) => kind === 'violation')).toBeOneOf([-1, whole.length - 1]);
      for (const event of whole) {
        if (event[0] !== 'publish') continue;
        expect(`${event[3]}${event[4]}`.length).toBeLessThanOrEqual(small.maxPayload);
        expect(`${event[1]}${event[2]}`.length).toBeLessThanOrEqual(small.maxControlLine);
      }
    }
  });
});

function mutated(text: string, prng: Prng): string {
  const bytes = latin1Bytes(text);
  const start = prng.int(0, bytes.length - 1);
  for (let count = prng.int(1, 4); count > 0; count -= 1) {
    const interesting = [0, 9, 10, 13, 32, 43, 45, 48, 57, 80, 255];
    bytes[prng.int(0, bytes.length - 1)] = prng.chance(0.5) ? prng.pick(interesting) : prng.int(0, 255);
  }
  const changed = String.fromCharCode(...bytes);
  return prng.chance(0.3) ? changed.slice(start) + changed : changed;
}
