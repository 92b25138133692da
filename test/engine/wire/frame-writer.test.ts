import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import {
  endMessageLine,
  FrameWriter,
  okFrame,
  pingFrame,
  pongFrame,
  startMessageLine,
  writeError,
  writeInfo,
  writeLineEnd,
  writeMessage,
  writeMessageLine,
} from '../../../engine/wire/frame-writer.ts';
import { range, serverEvents } from './recorded.ts';

function text(bytes: Uint8Array): string {
  return latin1Text(bytes, 0, bytes.length);
}

function written(write: (writer: FrameWriter) => void): string {
  const writer = new FrameWriter(64);
  write(writer);
  return text(writer.take());
}

const sid = latin1Bytes('9');

describe('FrameWriter', () => {
  test('writes one thing behind the other, and starts again after take', () => {
    const writer = new FrameWriter();
    writer.text('seq ');
    writer.decimal(9_007_199_254_740_991);
    writer.byte(33);
    writer.copy(latin1Bytes('abcdef'), 1, 3);
    expect(text(writer.take())).toBe('seq 9007199254740991!bc');
    expect(writer.length).toBe(0);
    writer.text('next');
    expect(text(writer.take())).toBe('next');
  });

  test('grows past its first array and keeps what it has', () => {
    const pieces = fc.array(fc.string({ unit: 'binary-ascii', maxLength: 90 }), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, (parts) => {
        const writer = new FrameWriter(64);
        for (const [index, part] of parts.entries()) {
          if (index % 2 === 0) writer.text(part);
          else writer.copy(latin1Bytes(`<${part}>`), 1, part.length + 1);
        }
        expect(text(writer.take())).toBe(parts.join(''));
      }),
      { numRuns: 100 },
    );
  });

  test('what was taken, large or small, is never written into again', () => {
    for (const count of [5, 60, 500]) {
      const writer = new FrameWriter(64);
      writer.text('a'.repeat(count));
      const taken = writer.take();
      writer.text('b'.repeat(count));
      expect(text(taken)).toBe('a'.repeat(count));
    }
  });

  test('recycled bytes are written into after the next take', () => {
    const writer = new FrameWriter(64);
    writer.text('a'.repeat(60));
    const first = writer.take();
    writer.recycle(first);
    writer.text('b'.repeat(60));
    writer.take();
    writer.text('c');
    expect(writer.bytes.buffer).toBe(first.buffer);
  });

  test('bytes that are not a whole array of this writer are not recycled', () => {
    const writer = new FrameWriter(64);
    const foreign = new Uint8Array(new ArrayBuffer(128), 64, 64);
    writer.recycle(foreign);
    writer.text('b'.repeat(60));
    writer.take();
    expect(writer.bytes.buffer).not.toBe(foreign.buffer);
  });
});

describe('messages', () => {
  test('MSG and HMSG are as in A3 and A2', () => {
    const header = 'NATS/1.0\r\nFoo: barr\r\n\r\n';
    const whole = written((writer) =>
      writeMessage(writer, range('a'), latin1Bytes('1'), range('r'), range(header), range('hi')),
    );
    expect(whole).toBe(`HMSG a 1 r 23 25\r\n${header}hi\r\n`);
    const status = written((writer) =>
      writeMessage(writer, range('_INBOX.1'), sid, null, range('NATS/1.0 503\r\n\r\n'), null),
    );
    expect(status).toBe('HMSG _INBOX.1 9 16 16\r\nNATS/1.0 503\r\n\r\n\r\n');
    expect(written((writer) => writeMessage(writer, range('a'), sid, range(''), null, range('')))).toBe(
      'MSG a 9 0\r\n\r\n',
    );
  });

  test('a line can be written alone, and its reply where it stands', () => {
    const line = written((writer) => writeMessageLine(writer, range('a.b'), sid, null, 0, 12));
    expect(line).toBe('MSG a.b 9 12\r\n');
    const replied = written((writer) => {
      startMessageLine(writer, true, range('a.b'), sid);
      writer.text(' $JS.ACK.x');
      endMessageLine(writer, 12, 14);
    });
    expect(replied).toBe('HMSG a.b 9 $JS.ACK.x 12 14\r\n');
  });

  test('are what ServerFrameReader reads', () => {
    const name = fc.stringMatching(/^[!-~]{1,30}$/);
    const body = fc.string({ unit: 'binary-ascii', maxLength: 50 });
    fc.assert(
      fc.property(name, name, fc.option(name), body, body, (subject, id, reply, header, payload) => {
        const bytes = written((writer) =>
          writeMessage(
            writer,
            range(subject),
            latin1Bytes(id),
            reply === null ? null : range(reply),
            range(header),
            range(payload),
          ),
        );
        expect(serverEvents([bytes])).toEqual([
          ['message', subject, id, reply ?? '', expect.any(Number), header, payload],
        ]);
      }),
      { numRuns: 200 },
    );
  });
});

test('the other frames', () => {
  const bytes = written((writer) => {
    writeInfo(writer, '{"server_name":"n"}');
    for (const frame of [okFrame, pingFrame, pongFrame]) writer.copy(frame, 0, frame.length);
    writeError(writer, 'Maximum Payload Violation');
  });
  expect(bytes).toBe(
    'INFO {"server_name":"n"}\r\n+OK\r\nPING\r\nPONG\r\n-ERR \'Maximum Payload Violation\'\r\n',
  );
  // A6: the whole of the text goes between the quotes.
  const denied = 'Permissions Violation for Publish with Reply of "$JS.ACK.x.y.1.1.1.1.1"';
  expect(serverEvents([written((writer) => writeError(writer, denied))])).toEqual([['error', denied]]);
  expect(written(writeLineEnd)).toBe('\r\n');
});
