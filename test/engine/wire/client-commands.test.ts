import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { latin1Text } from '../../../engine/base/bytes.ts';
import {
  writeConnect,
  writePublish,
  writePublishLine,
  writeSubscribe,
  writeUnsubscribe,
} from '../../../engine/wire/client-commands.ts';
import { FrameWriter } from '../../../engine/wire/frame-writer.ts';
import { clientEvents, range } from './recorded.ts';

function written(write: (writer: FrameWriter) => void): string {
  const writer = new FrameWriter(64);
  write(writer);
  const bytes = writer.take();
  return latin1Text(bytes, 0, bytes.length);
}

test('a generator connects, subscribes and publishes', () => {
  const header = 'NATS/1.0\r\nNats-Msg-Id: 1\r\n\r\n';
  const bytes = written((writer) => {
    writeConnect(writer, '{"verbose":false}');
    writeSubscribe(writer, '_INBOX.x.*', null, '1');
    writeSubscribe(writer, 'work', 'workers', '2');
    writeUnsubscribe(writer, '2', 5);
    writeUnsubscribe(writer, '2', 0);
    writePublish(writer, range('s.a'), range('_INBOX.x.1'), range(header), range('hi'));
    writePublish(writer, range('s.b'), null, null, null);
    writePublishLine(writer, range('s.c'), null, 0, 2);
  });
  expect(bytes).toBe(
    'CONNECT {"verbose":false}\r\nSUB _INBOX.x.* 1\r\nSUB work workers 2\r\nUNSUB 2 5\r\nUNSUB 2\r\n' +
      `HPUB s.a _INBOX.x.1 28 30\r\n${header}hi\r\nPUB s.b 0\r\n\r\nPUB s.c 2\r\n`,
  );
});

test('what is published is what ClientFrameReader reads', () => {
  const name = fc.stringMatching(/^[!-~]{1,30}$/);
  const body = fc.string({ unit: 'binary-ascii', maxLength: 50 });
  fc.assert(
    fc.property(name, fc.option(name), body, body, (subject, reply, header, payload) => {
      const replyRange = reply === null ? null : range(reply);
      const bytes = written((writer) =>
        writePublish(writer, range(subject), replyRange, range(header), range(payload)),
      );
      expect(clientEvents([bytes])).toEqual([['publish', subject, reply ?? '', header, payload]]);
    }),
    { numRuns: 200 },
  );
});
