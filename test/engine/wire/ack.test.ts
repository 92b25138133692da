import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import {
  ackKinds,
  emptyAckBody,
  emptyAckSubject,
  readAckBody,
  readAckSubject,
  writeAckSubject,
  type AckSubject,
} from '../../../engine/wire/ack.ts';
import { FrameWriter } from '../../../engine/wire/frame-writer.ts';

function bodyOf(text: string): { kind: string; delayNs: number; reason: string; request: string } {
  const bytes = latin1Bytes(`<<${text}>>`);
  const body = emptyAckBody();
  readAckBody(bytes, 2, bytes.length - 2, body);
  const kind = Object.entries(ackKinds).find(([, value]) => value === body.kind)?.[0] ?? '';
  return {
    kind,
    delayNs: body.delayNs,
    reason: latin1Text(bytes, body.reasonStart, body.reasonEnd),
    request: latin1Text(bytes, body.requestStart, body.requestEnd),
  };
}

const plain = { delayNs: 0, reason: '', request: '' };

describe('ack bodies (spec 6.6)', () => {
  test.each([
    ['', { ...plain, kind: 'ack' }],
    ['+ACK', { ...plain, kind: 'ack' }],
    ['+OK', { ...plain, kind: 'ack' }],
    ['+WPI', { ...plain, kind: 'progress' }],
    ['-NAK', { ...plain, kind: 'nak' }],
    ['-NAK {"delay":500000000}', { ...plain, kind: 'nak', delayNs: 500_000_000 }],
    ['-NAK 500ms', { ...plain, kind: 'nak', delayNs: 500_000_000 }],
    ['-NAK  1m30s ', { ...plain, kind: 'nak', delayNs: 90_000_000_000 }],
    ['+TERM', { ...plain, kind: 'term' }],
    ['+TERM poison message ', { ...plain, kind: 'term', reason: 'poison message' }],
    ['+NXT', { ...plain, kind: 'next' }],
    ['+NXT 5', { ...plain, kind: 'next', request: '5' }],
    ['+NXT {"batch":2}', { ...plain, kind: 'next', request: '{"batch":2}' }],
  ])('%j', (text, body) => {
    expect(bodyOf(text)).toEqual(body);
  });

  test.each(['-NAK soon', '-NAK {"delay":', '-NAK {"delay":"1s"}', '-NAK {}', '-NAK -5s', '-NAK5'])(
    '%j is a plain nak',
    (text) => {
      expect(bodyOf(text)).toEqual({ ...plain, kind: 'nak' });
    },
  );

  // +ACK, +OK and +WPI match whole, the others by their beginning.
  test.each(['+ACK ', '+ack', '+OKAY', '+WPI ', '-NA', '+', 'hello', ' +ACK'])('%j is ignored', (text) => {
    expect(bodyOf(text)).toEqual({ ...plain, kind: 'ignored' });
  });

  test('a reader used before forgets the last body', () => {
    const body = emptyAckBody();
    const nak = latin1Bytes('-NAK 5s');
    readAckBody(nak, 0, nak.length, body);
    readAckBody(nak, 0, 0, body);
    expect(body).toEqual(emptyAckBody());
  });
});

function subjectOf(text: string): (AckSubject & { stream: string; consumer: string }) | null {
  const bytes = latin1Bytes(`..${text}..`);
  const out = emptyAckSubject();
  if (!readAckSubject(bytes, 2, bytes.length - 2, out)) return null;
  return {
    ...out,
    stream: latin1Text(bytes, out.streamStart, out.streamEnd),
    consumer: latin1Text(bytes, out.consumerStart, out.consumerEnd),
  };
}

const numbers = {
  deliveryCount: 1,
  streamSequence: 22,
  consumerSequence: 33,
  unixSeconds: 1_700_000_000,
  nanos: 123_456_789,
  pending: 4,
};

describe('ack subjects (spec 2.5)', () => {
  test('are written and read', () => {
    const writer = new FrameWriter(64);
    writeAckSubject(writer, latin1Bytes('$JS.ACK.S.C.'), 1, 22, 33, 1_700_000_000, 123_456_789, 4);
    const text = latin1Text(writer.bytes, 0, writer.length);
    expect(text).toBe('$JS.ACK.S.C.1.22.33.1700000000123456789.4');
    expect(subjectOf(text)).toMatchObject({ ...numbers, stream: 'S', consumer: 'C' });
  });

  test.each([
    '$JS.ACK._.hash.S.C.1.22.33.1700000000123456789.4',
    '$JS.ACK.D.hash.S.C.1.22.33.1700000000123456789.4.a.b.c.d',
  ])('%s is of the second form', (text) => {
    expect(subjectOf(text)).toMatchObject({ ...numbers, stream: 'S', consumer: 'C' });
  });

  test.each([
    '',
    '$JS.ACK.S.C.1.1.1.1',
    '$JS.ACK.D.S.C.1.1.1.1.0', // ten tokens
    '$JS.FC.S.C.1.1.1.1.0',
    '$JS.ACK.S.C.1.x.1.1.0',
    '$JS.ACK.S.C..1.1.1.0',
    '$JS.ACK.S.C.1.1.1.1.-1',
    '$JS.ACK.S.C.1.1.1.170000000012345678x.0',
    '$JS.ACK.S.C.1.1.1..0',
  ])('%j is none', (text) => {
    expect(subjectOf(text)).toBeNull();
  });

  test('ten tokens are refused even where an eleventh stands behind them', () => {
    const bytes = latin1Bytes('$JS.ACK._.hash.S.C.1.22.33.1700000000123456789.4');
    expect(readAckSubject(bytes, 0, bytes.length, emptyAckSubject())).toBe(true);
    expect(readAckSubject(bytes, 0, bytes.length - 2, emptyAckSubject())).toBe(false);
  });

  test('any numbers come back', () => {
    const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    const nanos = fc.integer({ min: 0, max: 999_999_999 });
    const seconds = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4_000_000_000 }));
    fc.assert(
      fc.property(
        count,
        count,
        count,
        seconds,
        nanos,
        count,
        (delivered, stream, consumer, unixSeconds, nano, pending) => {
          const writer = new FrameWriter(64);
          writeAckSubject(
            writer,
            latin1Bytes('$JS.ACK.S.C.'),
            delivered,
            stream,
            consumer,
            unixSeconds,
            nano,
            pending,
          );
          expect(subjectOf(latin1Text(writer.bytes, 0, writer.length))).toMatchObject({
            deliveryCount: delivered,
            streamSequence: stream,
            consumerSequence: consumer,
            unixSeconds,
            nanos: nano,
            pending,
          });
        },
      ),
      { numRuns: 200 },
    );
  });
});
