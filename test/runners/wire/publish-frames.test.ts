import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latin1Text } from '../../../engine/base/bytes.ts';
import { controlHeader, PublishFrames, readLane, writeLane } from '../../../runners/wire/publish-frames.ts';
import type { PublishFrameShape } from '../../../runners/wire/publish-frames.ts';
import { readBodyId, readMessageIdCounter } from '../../../workloads/operation-id.ts';
import { MemoryServer } from './memory-server.ts';

const shape: PublishFrameShape = {
  subject: 'orders.new',
  inbox: '_INBOX.p0',
  idHeader: 'message-id',
  idLength: 22,
  payloadBytes: 64,
  publisher: 3,
  trialKey: 'key',
  seed: 'seed',
};

function published(frames: PublishFrames): MemoryServer['published'] {
  const server = new MemoryServer();
  server.transport.write(frames.take());
  return server.published;
}

test('publishes are built in place and read as plain HPUB frames', () => {
  const frames = new PublishFrames(shape);
  frames.add(17, 42, 1, 5_000_000);
  frames.add(4, 43, 0, 6_000_000);
  const [first, second] = published(frames);
  expect(first?.subject).toBe('orders.new');
  expect(first?.reply).toBe('_INBOX.p0.00017');
  expect(first?.header).toMatch(/^NATS\/1\.0\r\nNats-Msg-Id: \S{22}\r\n\r\n$/);
  expect(second?.reply).toBe('_INBOX.p0.00004');
  const id = { publisher: 0, counter: 0, attempt: 0, dueNs: 0 };
  expect(readBodyId(first?.body ?? new Uint8Array(0), 0, 64, id)).toBe(true);
  expect(id).toEqual({ publisher: 3, counter: 42, attempt: 1, dueNs: 5_000_000 });
});

test('the message id carries the same counter as the body', () => {
  const frames = new PublishFrames(shape);
  frames.add(0, 123_456, 0, 0);
  const bytes = frames.take();
  const text = latin1Text(bytes, 0, bytes.length);
  expect(readMessageIdCounter(bytes, text.indexOf('Nats-Msg-Id: ') + 13 + 22)).toBe(123_456);
});

test('the control header makes a frame of exactly the same length', () => {
  const withId = new PublishFrames(shape);
  const control = new PublishFrames({ ...shape, idHeader: 'control' });
  expect(control.frameBytes).toBe(withId.frameBytes);
  control.add(0, 1, 0, 0);
  expect(published(control)[0]?.header).toContain(`\r\n${controlHeader}: `);
});

test('without a header it is a PUB', () => {
  const frames = new PublishFrames({ ...shape, idHeader: 'none' });
  frames.add(1, 9, 0, 0);
  const [only] = published(frames);
  expect(only?.header).toBe('');
  expect(only?.body.length).toBe(64);
});

describe('batches', () => {
  test('fill up to 64 KB and never less than one frame', () => {
    expect(new PublishFrames(shape).batchCount).toBe(
      Math.floor(65_536 / new PublishFrames(shape).frameBytes),
    );
    expect(new PublishFrames({ ...shape, payloadBytes: 100_000 }).batchCount).toBe(1);
  });

  test('a batch that comes back is used again, frames and all', () => {
    const frames = new PublishFrames(shape);
    frames.add(1, 1, 0, 0);
    const taken = frames.take();
    frames.recycle(taken);
    frames.add(2, 2, 0, 0);
    frames.take();
    frames.add(3, 3, 0, 0);
    const again = frames.take();
    expect(again.buffer).toBe(taken.buffer);
    const server = new MemoryServer();
    server.transport.write(again);
    expect(server.published.map((one) => one.reply)).toEqual(['_INBOX.p0.00003']);
  });

  test('a copy leaves the batch with its owner', () => {
    const frames = new PublishFrames(shape);
    frames.add(1, 1, 0, 0);
    const copy = frames.takeCopy();
    frames.add(2, 2, 0, 0);
    expect(latin1Text(copy, 0, copy.length)).toContain('_INBOX.p0.00001');
  });

  test('bytes of somebody else are not taken for a batch', () => {
    const frames = new PublishFrames(shape);
    frames.recycle(new Uint8Array(frames.batchCount * frames.frameBytes + 1));
    frames.add(1, 1, 0, 0);
    expect(published(frames)).toHaveLength(1);
  });
});

test('a lane is read as it was written', () => {
  fc.assert(
    fc.property(fc.nat(99_999), (lane) => {
      const bytes = new Uint8Array(8);
      writeLane(bytes, 2, lane);
      expect(readLane(bytes, 7)).toBe(lane);
    }),
    { numRuns: 200 },
  );
  expect(readLane(new Uint8Array(8), 7)).toBe(-1);
});
