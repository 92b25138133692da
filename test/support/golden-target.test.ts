import { expect, it } from 'vitest';

import { GoldenClient } from './golden-client.ts';
import { virtualTarget } from './golden-target.ts';
import type { ConnectionHandlers, VirtualServer } from './golden-target.ts';
import { openVocabulary } from './golden-vocabulary.ts';

/** Answers a PING at once, and a PUB with a reply subject half a second after it came. */
function slowServer(): VirtualServer {
  let nowNs = 0;
  const due: { atNs: number; tell: () => void }[] = [];
  const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
  return {
    connect(handlers: ConnectionHandlers) {
      handlers.onBytes(bytes('INFO {}\r\n'));
      const send = (sent: Uint8Array): void => {
        const text = Buffer.from(sent).toString('latin1');
        if (text.startsWith('PING')) handlers.onBytes(bytes('PONG\r\n'));
        const reply = /^PUB \S+ (_INBOX\S+)\.(\d+) /.exec(text);
        if (reply === null) return;
        const frame = `MSG ${reply[1]}.${reply[2]} ${reply[2]} 5\r\nhello\r\n`;
        due.push({ atNs: nowNs + 500e6, tell: () => handlers.onBytes(bytes(frame)) });
      };
      return { send, close: () => handlers.onClose() };
    },
    nowNs: () => nowNs,
    advanceTo(atNs) {
      nowNs = atNs;
      for (const one of due.filter(({ atNs: when }) => when <= nowNs)) {
        due.splice(due.indexOf(one), 1);
        one.tell();
      }
    },
  };
}

it('lets a script run under virtual time', async () => {
  const target = virtualTarget(slowServer(), ['strict']);
  const vocabulary = await openVocabulary(target);
  expect(await vocabulary.interpret('request anywhere')).toEqual(['"hello"']);
  expect(target.nowNs()).toBe(500e6);
  expect(await vocabulary.interpret('at 2s')).toEqual([]);
  expect(target.nowNs()).toBe(2e9);
});

it('gives up at the deadline, and not before', async () => {
  const target = virtualTarget(slowServer(), ['strict']);
  const client = new GoldenClient(target);
  await client.open();
  expect(await client.request({ subject: 'anywhere' }, 400e6)).toBe(null);
  expect(target.nowNs()).toBe(400e6);
});

it('can restart only what says how', () => {
  expect(virtualTarget(slowServer(), []).capabilities.has('restart')).toBe(false);
  expect(virtualTarget({ ...slowServer(), restart: () => {} }, []).capabilities.has('restart')).toBe(true);
});
