import { describe, expect, it } from 'vitest';

import { latin1Bytes } from '../../../engine/base/bytes.ts';
import { Prng } from '../../../engine/base/prng.ts';
import { CompactDedupWindow } from '../../../engine/core/dedup-compact.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function randomIds(count: number, length: number): Uint8Array[] {
  const prng = new Prng('ids');
  const letters = latin1Bytes(alphabet);
  return Array.from({ length: count }, () =>
    Uint8Array.from({ length }, () => letters[prng.int(0, letters.length - 1)]!),
  );
}

function fill(window: CompactDedupWindow, ids: Uint8Array[], stepNs: number): void {
  ids.forEach((id, index) => window.insert(id, 0, id.length, index + 1, index * stepNs));
}

/** Largest accounted bytes an id while the window fills, from a thousand ids on. */
function bytesAnIdMax(ids: Uint8Array[]): number {
  const window = new CompactDedupWindow(1e18, 1);
  let largest = 0;
  ids.forEach((id, index) => {
    window.insert(id, 0, id.length, index + 1, index * 100_000);
    if (index >= 20_000) largest = Math.max(largest, window.accountedBytes / window.entryCount);
  });
  return largest;
}

describe('compact dedup window', () => {
  it('finds every id through growth, splits of shards, expiry and merges', () => {
    const ids = randomIds(60_000, 22);
    const window = new CompactDedupWindow(30_000, 1);
    const live = 30_000;
    let wrongCount = 0;
    ids.forEach((id, index) => {
      window.expire(index, 2);
      if (window.find(id, 0, id.length, index) !== 0) wrongCount += 1;
      window.insert(id, 0, id.length, index + 1, index);
    });
    expect(window.entryCount).toBe(live);
    const nowNs = ids.length - 1;
    ids.forEach((id, index) => {
      const known = index > nowNs - live ? index + 1 : 0;
      if (window.find(id, 0, id.length, nowNs) !== known) wrongCount += 1;
    });
    expect(wrongCount).toBe(0);
  });

  it('costs at most 48 bytes an id at 22 characters and 64 at 36, at any count', () => {
    expect(bytesAnIdMax(randomIds(60_000, 22))).toBeLessThanOrEqual(48);
    expect(bytesAnIdMax(randomIds(60_000, 36))).toBeLessThanOrEqual(64);
  });

  it('costs little when it holds little', () => {
    const window = new CompactDedupWindow(1e18, 1);
    expect(window.accountedBytes).toBeLessThanOrEqual(4096 + 256);
    fill(window, randomIds(20, 22), 1);
    expect(window.accountedBytes).toBeLessThanOrEqual(2 * 4096 + 256);
  });

  it('gives memory back as ids expire, and all of it with the last (invariant D7)', () => {
    const ids = randomIds(50_000, 22);
    const window = new CompactDedupWindow(1_000_000, 1);
    const baseBytes = window.accountedBytes;
    fill(window, ids, 1);
    const fullBytes = window.accountedBytes;
    for (const share of [0.75, 0.5, 0.25, 0.1]) {
      window.expire(1_000_000 + ids.length * (1 - share), Infinity);
      const held = window.entryCount / ids.length;
      expect(held).toBeCloseTo(share, 3);
      expect(window.accountedBytes).toBeLessThan(fullBytes * (held + 0.25));
    }
    window.expire(2_000_000, Infinity);
    expect(window.entryCount).toBe(0);
    expect(window.accountedBytes).toBe(baseBytes);
  });

  it('gives memory back under a trickle that never stops', () => {
    const window = new CompactDedupWindow(1_000_000, 1);
    fill(window, randomIds(50_000, 22), 1);
    const fullBytes = window.accountedBytes;
    randomIds(200, 23).forEach((id, index) => {
      const nowNs = 50_000 + index * 10_000;
      window.expire(nowNs, Infinity);
      window.insert(id, 0, id.length, 50_001 + index, nowNs);
    });
    expect(window.entryCount).toBe(100);
    expect(window.accountedBytes).toBeLessThan(fullBytes * 0.06);
  });

  it('does not depend on the seed for anything but speed', () => {
    const ids = randomIds(5000, 12);
    const digests = [1, 0xffff_ffff].map((seed) => {
      const window = new CompactDedupWindow(3000, seed);
      fill(window, ids, 1);
      window.expire(6000, Infinity);
      const entries: number[] = [];
      window.forEach((_bytes, _start, _end, sequence) => entries.push(sequence));
      return entries;
    });
    expect(digests[0]).toHaveLength(1999);
    expect(digests[0]).toEqual(digests[1]);
  });

  it('stays right when thousands of ids have one hash', () => {
    const ids = randomIds(4000, 10);
    const window = new CompactDedupWindow(1e18, 1, { hashMask: 0 });
    fill(window, ids, 1);
    const last = ids[ids.length - 1]!;
    expect(window.find(last, 0, last.length, 5000)).toBe(4000);
  });
});
