import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { EngineLoop } from '../../../engine/host/engine-loop.ts';
import { connectInProcess } from '../../../engine/host/in-process.ts';
import { resolveOptions } from '../../../engine/mod.ts';
import { publishText, ServerFrames, type Delivered } from '../../support/virtual-broker.ts';

let loop: EngineLoop;
let messages: Delivered[];
let send: (text: string) => void;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'hrtime', 'Date'],
  });
  loop = new EngineLoop(resolveOptions({ jetstream: true }, null), 'loop');
  const connection = connectInProcess(loop);
  messages = [];
  const frames = new ServerFrames(
    () => {},
    (message) => messages.push(message),
  );
  connection.onData((bytes) => frames.take(bytes));
  send = (text) => {
    connection.write(Buffer.from(text, 'latin1'));
  };
  send('CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB _INBOX.> 1\r\n');
});

afterEach(() => {
  loop.close();
  vi.useRealTimers();
});

const call = (name: string, body: object): string =>
  publishText(`$JS.API.${name}`, JSON.stringify(body), { reply: '_INBOX.x' });

it('does what one pass of the event loop brought in one turn', async () => {
  const turn = vi.spyOn(loop.broker, 'turn');
  send(call('STREAM.CREATE.T', { name: 'T' }));
  for (let count = 0; count < 10; count += 1) send(publishText('T', 'x', { reply: '_INBOX.x' }));
  expect(turn).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(turn).toHaveBeenCalledTimes(1);
  expect(messages).toHaveLength(11);
});

it('wakes for what falls due when nothing comes in', async () => {
  send(call('STREAM.CREATE.T', { name: 'T', max_age: 1e9 }));
  send(publishText('T', 'x', { reply: '_INBOX.x' }));
  await vi.advanceTimersByTimeAsync(900);
  const stream = loop.broker.jetstream?.state.streams.get('T');
  expect(stream?.messageCount).toBe(1);
  await vi.advanceTimersByTimeAsync(110);
  expect(stream?.messageCount).toBe(0);
});

it('a later timer does not push an earlier one away', async () => {
  send(call('STREAM.CREATE.T', { name: 'T', max_age: 5e9 }));
  send(publishText('T', 'x'));
  await vi.advanceTimersByTimeAsync(10);
  send(
    call('CONSUMER.CREATE.T.c', {
      stream_name: 'T',
      config: { durable_name: 'c', ack_policy: 'explicit', filter_subject: 'none' },
    }),
  );
  send(call('CONSUMER.MSG.NEXT.T.c', { expires: 1e9 }));
  await vi.advanceTimersByTimeAsync(1010);
  expect(messages.at(-1)?.header).toContain('408 Request Timeout');
});

it('rests when there is nothing to do, and for ever once closed', async () => {
  await vi.advanceTimersByTimeAsync(10);
  const turn = vi.spyOn(loop.broker, 'turn');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(turn).not.toHaveBeenCalled();
  send('PING\r\n');
  loop.close();
  await vi.advanceTimersByTimeAsync(10);
  expect(turn).not.toHaveBeenCalled();
});
