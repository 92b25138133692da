import { describe, expect, test } from 'vitest';
import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import { parseFaults } from '../../../runners/targets/fault.ts';
import { FaultScript, sabotage } from '../../../runners/targets/saboteur.ts';
import { MemoryServer } from '../wire/memory-server.ts';

interface Stage {
  readonly server: MemoryServer;
  readonly heard: string[];
  readonly write: (text: string) => boolean;
  readonly drains: () => number;
}

function staged(faults: string): Stage {
  const server = new MemoryServer();
  const transport = sabotage(server.transport, new FaultScript(parseFaults(faults)));
  const heard: string[] = [];
  let drainCount = 0;
  transport.onData((bytes) => void heard.push(latin1Text(bytes, 0, bytes.length)));
  transport.onDrain(() => {
    drainCount += 1;
  });
  return { server, heard, write: (text) => transport.write(latin1Bytes(text)), drains: () => drainCount };
}

/** A publish to the stream S with a message id; the reply ends with the same number. */
function publish(number: number): string {
  const header = `NATS/1.0\r\nNats-Msg-Id: id-${number}\r\n\r\n`;
  const body = `body ${number}`;
  const sizes = `${header.length} ${header.length + body.length}`;
  return `HPUB S.orders _INBOX.p.${number} ${sizes}\r\n${header}${body}\r\n`;
}

const text = (bytes: Uint8Array): string => latin1Text(bytes, 0, bytes.length);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('without faults everything passes as it is', () => {
  const { server, heard, write } = staged('');
  expect(write(`CONNECT {"headers":true}\r\nSUB _INBOX.p.* 1\r\n${publish(1)}`)).toBe(true);
  expect(server.connects).toEqual(['{"headers":true}']);
  expect(server.published.map((one) => [one.subject, one.reply, text(one.body)])).toEqual([
    ['S.orders', '_INBOX.p.1', 'body 1'],
  ]);
  server.say('MSG _INBOX.p.1 1 2\r\nok\r\n');
  expect(heard).toEqual(['MSG _INBOX.p.1 1 2\r\nok\r\n']);
});

test('lose: the message is deleted behind the server’s back once it was acknowledged', () => {
  const { server, heard, write } = staged('lose@2');
  write(`SUB _INBOX.p.* 1\r\n${publish(1)}${publish(2)}`);
  const ack = (number: number): string =>
    server.frame(`_INBOX.p.${number}`, `{"stream":"S", "seq":${number}}`);
  server.say(ack(1));
  expect(server.published).toHaveLength(2);
  server.say(ack(2));
  expect(heard.join('')).toBe(ack(1) + ack(2));
  expect(server.published[2]?.subject).toBe('$JS.API.STREAM.MSG.DELETE.S');
  expect(JSON.parse(text(server.published[2]?.body ?? new Uint8Array(0)))).toMatchObject({ seq: 2 });
});

test('duplicate: a second copy under another header id, the body unchanged', () => {
  const { server, write } = staged('duplicate@1');
  write(publish(1));
  const [first, second] = server.published;
  expect(second?.header).not.toBe(first?.header);
  expect(second?.header.length).toBe(first?.header.length);
  expect(second?.header).toMatch(/^NATS\/1\.0\r\nNats-Msg-Id: [^\r]+\r\n\r\n$/);
  expect(text(second?.body ?? new Uint8Array(0))).toBe('body 1');
  expect(second?.reply).not.toBe(first?.reply);
});

test('reorder: a publish is sent behind the next one', () => {
  const { server, write } = staged('reorder@2');
  write(publish(1) + publish(2));
  write(publish(3));
  expect(server.published.map((one) => one.reply)).toEqual(['_INBOX.p.1', '_INBOX.p.3', '_INBOX.p.2']);
});

test('false-duplicate: the publish never arrives, and is answered duplicate', async () => {
  const { server, heard, write } = staged('false-duplicate@2');
  write(`SUB _INBOX.p.* 7\r\n${publish(1)}${publish(2)}`);
  await turn();
  expect(server.published.map((one) => one.reply)).toEqual(['_INBOX.p.1']);
  expect(heard.join('')).toMatch(/^MSG _INBOX\.p\.2 7 \d+\r\n\{"stream":"S","seq":1,"duplicate":true\}\r\n$/);
});

describe('redeliver: an ack is swallowed', () => {
  test('and a double ack confirmed all the same', async () => {
    const { server, heard, write } = staged('redeliver@2');
    const ack = (sequence: number): string =>
      `PUB $JS.ACK.S.C.1.${sequence}.1.1.0 _INBOX.c.${sequence} 4\r\n+ACK\r\n`;
    write(`SUB _INBOX.c.* 3\r\n${ack(1)}${ack(2)}${ack(3)}`);
    await turn();
    expect(server.published.map((one) => one.reply)).toEqual(['_INBOX.c.1', '_INBOX.c.3']);
    expect(heard).toEqual(['MSG _INBOX.c.2 3 0\r\n\r\n']);
  });

  test('publishes do not count', () => {
    const { server, write } = staged('redeliver@1');
    write(publish(1));
    expect(server.published).toHaveLength(1);
  });
});

test('stall: nothing passes either way for the time, then all of it in order', async () => {
  const { server, heard, write, drains } = staged('stall-20ms@2');
  expect(write(`SUB _INBOX.p.* 1\r\n${publish(1)}`)).toBe(true);
  expect(write(publish(2))).toBe(false);
  write(publish(3));
  server.deliver('_INBOX.p.1', 'late');
  expect(server.published).toHaveLength(1);
  expect(heard).toEqual([]);
  await new Promise<void>((resolve) => {
    const look = (): void => void (drains() > 0 ? resolve() : setImmediate(look));
    look();
  });
  expect(server.published.map((one) => one.reply)).toEqual(['_INBOX.p.1', '_INBOX.p.2', '_INBOX.p.3']);
  expect(heard).toEqual(['MSG _INBOX.p.1 1 4\r\nlate\r\n']);
  expect(write(publish(4))).toBe(true);
});

test('publishes are counted over all connections of a target', () => {
  const script = new FaultScript(parseFaults('reorder@2'));
  const servers = [new MemoryServer(), new MemoryServer()];
  const [first, second] = servers.map((server) => sabotage(server.transport, script));
  first?.write(latin1Bytes(publish(1)));
  second?.write(latin1Bytes(publish(2)));
  expect(servers.map((server) => server.published.length)).toEqual([1, 0]);
});

test('requests to the API are no publishes of the workload', () => {
  const { server, write } = staged('false-duplicate@1');
  write('PUB $JS.API.INFO _INBOX.r.1 0\r\n\r\nPUB core.news 2\r\nhi\r\n');
  expect(server.published.map((one) => one.subject)).toEqual(['$JS.API.INFO', 'core.news']);
});
