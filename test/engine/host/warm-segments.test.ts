import { afterEach, expect, it } from 'vitest';
import { WarmSegments } from '../../../engine/host/warm-segments.ts';

const segmentBytes = 64 * 1024;
let segments = new WarmSegments();

afterEach(() => {
  segments.close();
  segments = new WarmSegments();
});

/** Waits for what another thread does; there is no clock to pass in. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 5000 && !holds(); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

it('gives zeroed memory of the size asked for, from the first call on', () => {
  const first = segments.take(segmentBytes);
  const second = segments.take(segmentBytes);
  expect(first).toHaveLength(segmentBytes);
  expect(second).toHaveLength(segmentBytes);
  expect(first.buffer).not.toBe(second.buffer);
  expect(second.every((byte) => byte === 0)).toBe(true);
});

it('makes nothing beforehand for a log that never fills its first segment, nor before it is started', async () => {
  segments.take(segmentBytes);
  segments.take(segmentBytes);
  segments.start();
  expect(segments.readyCount).toBe(0);
  const fresh = new WarmSegments();
  fresh.start();
  fresh.take(segmentBytes);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(fresh.readyCount).toBe(0);
  fresh.close();
});

it('has two segments ready once the log has rolled, zeroed, each given out once', async () => {
  segments.start();
  segments.take(segmentBytes);
  segments.take(segmentBytes);
  await until(() => segments.readyCount === 2);
  expect(segments.readyCount).toBe(2);
  const warm = [segments.take(segmentBytes), segments.take(segmentBytes)];
  expect(warm[0]?.buffer).not.toBe(warm[1]?.buffer);
  for (const bytes of warm) expect(bytes.every((byte) => byte === 0)).toBe(true);
});

it('makes the odd size of a huge message on the spot', async () => {
  segments.start();
  segments.take(segmentBytes);
  segments.take(segmentBytes);
  await until(() => segments.readyCount === 2);
  expect(segments.take(3 * segmentBytes)).toHaveLength(3 * segmentBytes);
  expect(segments.readyCount).toBe(2);
});
