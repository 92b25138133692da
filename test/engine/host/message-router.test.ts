import { expect, it } from 'vitest';

import { Prng } from '../../../engine/base/prng.ts';
import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import { MessageRouter, textRange } from '../../../engine/host/message-router.ts';
import type { ClientSubscription, Receiver } from '../../../engine/host/route.ts';
import { FrameWriter } from '../../../engine/wire/frame-writer.ts';

interface Ear extends Receiver {
  isClosed: boolean;
  read(): string;
}

function ear({ echo = true, headers = true, admits = true } = {}): Ear {
  const writer = new FrameWriter();
  return {
    isClosed: false,
    echo,
    headers,
    writer,
    wrote: () => {},
    admitDelivery: () => admits,
    read: () => {
      const bytes = writer.take();
      return latin1Text(bytes, 0, bytes.length);
    },
  };
}

function listen(
  router: MessageRouter,
  connection: Receiver,
  pattern: string,
  queue: string | null = null,
): ClientSubscription {
  const subscription: ClientSubscription = {
    kind: 'client',
    connection,
    pattern,
    queue,
    sid: '7',
    sidBytes: latin1Bytes('7'),
    deliveredCount: 0,
    deliveredMax: 0,
  };
  router.add(pattern, queue, subscription);
  return subscription;
}

const message = {
  subject: textRange('a.b'),
  reply: textRange('r'),
  header: textRange('NATS/1.0\r\n\r\n'),
  payload: textRange('hi'),
};

it('writes a message for every listener, with headers for those who read them', () => {
  const router = new MessageRouter(new Prng(1));
  const [plain, bare] = [ear(), ear({ headers: false })];
  listen(router, plain, 'a.*');
  listen(router, bare, 'a.>');
  expect(router.deliver(router.routeText('a.b'), message, null)).toBe(2);
  expect(plain.read()).toBe('HMSG a.b 7 r 12 14\r\nNATS/1.0\r\n\r\nhi\r\n');
  expect(bare.read()).toBe('MSG a.b 7 r 2\r\nhi\r\n');
  expect([router.messagesOut, router.bytesOut]).toEqual([2, 16]);
});

it('passes over who is closed, has had enough, or declined its own', () => {
  const router = new MessageRouter(new Prng(1));
  const [closed, full, self] = [ear(), ear({ admits: false }), ear({ echo: false })];
  closed.isClosed = true;
  for (const connection of [closed, full, self]) listen(router, connection, 'a.b');
  expect(router.deliver(router.routeText('a.b'), message, self)).toBe(0);
  expect(router.deliver(router.routeText('a.b'), message, null)).toBe(1);
});

it('tries the other members of a group before it gives up', () => {
  const router = new MessageRouter(new Prng(1));
  const members = [ear({ admits: false }), ear({ admits: false }), ear()];
  for (const connection of members) listen(router, connection, 'a.b', 'q');
  for (let count = 0; count < 20; count += 1) {
    expect(router.deliver(router.routeText('a.b'), message, null)).toBe(1);
  }
  expect(members[2]?.writer.length).toBeGreaterThan(0);
});

it('knows whether a client listens, plain or in a group', () => {
  const router = new MessageRouter(new Prng(1));
  const inbox = latin1Bytes('in');
  expect(router.hasClient(inbox)).toBe(false);
  const subscription = listen(router, ear(), 'in', 'q');
  expect(router.hasClient(inbox)).toBe(true);
  router.remove('in', 'q', subscription);
  expect(router.hasClient(inbox)).toBe(false);
});
