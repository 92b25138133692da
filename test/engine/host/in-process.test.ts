import { afterEach, beforeEach, expect, it } from 'vitest';

import { resolveOptions, serve, type InProcessConnection, type RunningEngine } from '../../../engine/mod.ts';
import { publishText, ServerFrames } from '../../support/virtual-broker.ts';

let engine: RunningEngine;

beforeEach(async () => {
  engine = await serve(resolveOptions({ jetstream: true, port: -1 }, null));
});

afterEach(() => engine.close());

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const hello = 'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\n';

/** Resolves with all text so far once it holds `wanted` that often. */
function heard(connection: InProcessConnection, wanted: RegExp, count = 1): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    connection.onData((bytes) => {
      text += Buffer.from(bytes).toString('latin1');
      if (text.split(wanted).length > count) resolve(text);
    });
  });
}

it('speaks the protocol without a socket', async () => {
  const connection = engine.connect();
  const answer = heard(connection, /PONG\r\n/);
  expect(connection.write(bytesOf(`${hello}SUB a 1\r\nPUB a 2\r\nhi\r\nPING\r\n`))).toBe(true);
  expect(await answer).toMatch(/^INFO \{.*\}\r\nMSG a 1 2\r\nhi\r\nPONG\r\n$/);
});

it('tells when it is closed by the server', async () => {
  const connection = engine.connect();
  const closed = new Promise((resolve) => {
    connection.onClose(resolve);
  });
  connection.write(bytesOf('NONSENSE\r\n'));
  expect(await closed).toBeNull();
});

it('a client may answer from within its handler, however much comes at once', async () => {
  const connection = engine.connect();
  const count = 200;
  const acked = new Set<string>();
  let isInside = false;
  const isDone = new Promise<void>((resolve, reject) => {
    const frames = new ServerFrames(
      () => {},
      ({ sid, reply, subject }) => {
        if (sid === '2') {
          connection.write(bytesOf(publishText(reply, '+ACK', { reply: `_INBOX.acked.${reply}` })));
        }
        if (sid === '3') acked.add(subject);
        if (acked.size === count) resolve();
      },
    );
    connection.onData((bytes) => {
      if (isInside) reject(new Error('the handler was called from within itself'));
      isInside = true;
      frames.take(bytes);
      isInside = false;
    });
  });
  const request = (call: string, body: string): string =>
    publishText(`$JS.API.${call}`, body, { reply: '_INBOX.api' });
  connection.write(bytesOf(`${hello}SUB _INBOX.api 1\r\nSUB _INBOX.pull 2\r\nSUB _INBOX.acked.> 3\r\n`));
  connection.write(bytesOf(request('STREAM.CREATE.T', '{"name":"T","subjects":["t.>"],"storage":"memory"}')));
  const config = { durable_name: 'c', ack_policy: 'explicit' };
  connection.write(bytesOf(request('CONSUMER.CREATE.T.c', JSON.stringify({ stream_name: 'T', config }))));
  for (let left = count; left > 0; left -= 1) connection.write(bytesOf(publishText('t.a', 'x'.repeat(8000))));
  const pull = publishText('$JS.API.CONSUMER.MSG.NEXT.T.c', String(count), { reply: '_INBOX.pull' });
  connection.write(bytesOf(pull));
  await isDone;
  expect(acked.size).toBe(count);
});
