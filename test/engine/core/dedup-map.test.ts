import { describe, expect, it } from 'vitest';

import { Prng } from '../../../engine/base/prng.ts';
import { MapDedupWindow } from '../../../engine/core/dedup-map.ts';

const countLarge = 2 ** 24 + 100_000;
// oxlint-disable-next-line node/no-process-env -- the one switch of this file
const isLarge = process.env['ONCEMARK_TEST_LARGE'] === '1';

function writeCounter(id: Uint8Array, value: number): void {
  for (let at = 0; at < id.length; at += 1) id[at] = Math.floor(value / 256 ** at) & 0xff;
}

describe('map dedup window', () => {
  it('accounts for strings, entries and slots, and for nothing once they are gone', () => {
    const window = new MapDedupWindow(1000, 1);
    const emptyBytes = window.accountedBytes;
    const prng = new Prng('map');
    const id = new Uint8Array(22);
    for (let index = 0; index < 10_000; index += 1) {
      for (let at = 0; at < id.length; at += 1) id[at] = prng.int(0, 255);
      window.insert(id, 0, id.length, index + 1, 0);
    }
    expect((window.accountedBytes - emptyBytes) / window.entryCount).toBeGreaterThan(120);
    expect((window.accountedBytes - emptyBytes) / window.entryCount).toBeLessThan(200);
    window.expire(1000, Infinity);
    expect(window.accountedBytes).toBe(emptyBytes);
  });

  it.skipIf(!isLarge)(
    'passes 2^24 entries (needs ONCEMARK_TEST_LARGE=1, 3 GB and a minute)',
    () => {
      const window = new MapDedupWindow(1e18, 1);
      const id = new Uint8Array(4);
      for (let index = 0; index < countLarge; index += 1) {
        writeCounter(id, index);
        window.insert(id, 0, id.length, index + 1, index);
      }
      expect(window.entryCount).toBe(countLarge);
      for (let index = 0; index < countLarge; index += 99_991) {
        writeCounter(id, index);
        expect(window.find(id, 0, id.length, countLarge)).toBe(index + 1);
      }
    },
    300_000,
  );
});
