import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import { FrameWriter } from '../../../engine/wire/frame-writer.ts';
import {
  emptyPubAck,
  pubAckBytes,
  pubAckErrorBody,
  readPubAck,
  writePubAck,
  type PubAckFields,
  type PubAckSpacing,
} from '../../../engine/wire/puback.ts';

function written(
  spacing: PubAckSpacing,
  stream: string,
  domain: string | null,
  sequence: number,
  duplicate: boolean,
): string {
  const writer = new FrameWriter(64);
  const domainBytes = domain === null ? null : latin1Bytes(domain);
  writePubAck(writer, spacing, latin1Bytes(stream), domainBytes, sequence, duplicate);
  expect(writer.length).toBe(
    pubAckBytes(spacing, stream.length, domain?.length ?? null, sequence, duplicate),
  );
  return latin1Text(writer.bytes, 0, writer.length);
}

function read(text: string): PubAckFields | null {
  const bytes = latin1Bytes(`<<${text}>>`);
  const fields: PubAckFields = { sequence: 99, duplicate: true, errorCode: 99, isError: true };
  return readPubAck(bytes, 2, bytes.length - 2, fields) ? fields : null;
}

const stored = (sequence: number, duplicate: boolean = false): PubAckFields => ({
  ...emptyPubAck(),
  sequence,
  duplicate,
});

describe('the success form', () => {
  test('is written as each release writes it (spec 4.1)', () => {
    expect(written('dense', 'S', null, 12, false)).toBe('{"stream":"S","seq":12}');
    expect(written('spaced', 'S', null, 12, false)).toBe('{"stream":"S", "seq":12}');
    expect(written('dense', 'S', 'D', 12, false)).toBe('{"stream":"S","domain":"D","seq":12}');
    expect(written('spaced', 'S', 'D', 12, false)).toBe('{"stream":"S", "domain":"D", "seq":12}');
    expect(written('dense', 'S', null, 1, true)).toBe('{"stream":"S","seq":1,"duplicate": true}');
    expect(written('spaced', 'S', null, 1, true)).toBe('{"stream":"S", "seq":1,"duplicate": true}');
  });

  test.each([
    ['{"stream":"S","seq":12}', stored(12)],
    ['{"stream":"S", "domain":"D", "seq":12}', stored(12)],
    ['{"stream":"S","seq":1,"duplicate": true}', stored(1, true)],
    ['{"stream":"S","seq":7,"batch":"b","count":3}', stored(7)],
    ['{"stream":"S","seq":7,"val":"12"}', stored(7)],
    ['{ "stream" :"S", "seq" : 12 , "duplicate" : false }', stored(12)],
    ['{"seq":12,"stream":"S","duplicate":true}', stored(12, true)],
    ['{"stream":"a\\"b","seq":12}', stored(12)],
    ['{"stream":"seq","domain":"duplicate","seq":9007199254740991}', stored(9_007_199_254_740_991)],
  ])('%s is read', (text, fields) => {
    expect(read(text)).toEqual(fields);
  });

  test('what is written is what JSON.parse and readPubAck read', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
    const sequences = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const spacings = fc.constantFrom<PubAckSpacing>('spaced', 'dense');
    fc.assert(
      fc.property(
        spacings,
        name,
        fc.option(name),
        sequences,
        fc.boolean(),
        (spacing, stream, domain, seq, duplicate) => {
          const text = written(spacing, stream, domain, seq, duplicate);
          expect(JSON.parse(text)).toEqual({
            stream,
            seq,
            ...(domain === null ? {} : { domain }),
            ...(duplicate ? { duplicate } : {}),
          });
          expect(read(text)).toEqual(stored(seq, duplicate));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the error form', () => {
  test('is written with seq 0 and read with its err_code', () => {
    const body = pubAckErrorBody('S', {
      code: 400,
      errorCode: 10060,
      description: 'expected stream does not match',
    });
    const text = latin1Text(body, 0, body.length);
    expect(text).toBe(
      '{"error":{"code":400,"err_code":10060,"description":"expected stream does not match"},"stream":"S","seq":0}',
    );
    expect(read(text)).toEqual({ sequence: 0, duplicate: false, errorCode: 10060, isError: true });
  });

  test('without an err_code its code is told', () => {
    expect(read('{"error":{"code":503}}')).toEqual({
      sequence: 0,
      duplicate: false,
      errorCode: 503,
      isError: true,
    });
  });
});

test.each([
  '',
  '{',
  '{}',
  'null',
  '[]',
  '12',
  'hello',
  '{"stream":"S"}',
  '{"seq":12,',
  '{"stream":"S","seq":0}',
  '{"stream":"S","seq":1',
])('%j is no PubAck', (text) => {
  expect(read(text)).toBeNull();
});

test('arbitrary bytes are read without throwing', () => {
  const part = fc.constantFrom(
    '{',
    '}',
    '"',
    ':',
    ',',
    ' ',
    '\\',
    '"seq"',
    '"stream"',
    '"S"',
    '12',
    'true',
    '"error"',
    '"duplicate"',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
      const fields = read(parts.join(''));
      if (fields !== null) expect(fields.isError || fields.sequence > 0).toBe(true);
    }),
    { numRuns: 500 },
  );
});
