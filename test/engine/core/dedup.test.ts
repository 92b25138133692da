import { describe, expect, it } from 'vitest';

import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import { second } from '../../../engine/base/nanos.ts';
import type { DedupKind, DedupWindow } from '../../../engine/core/dedup-window.ts';
import { openDedupWindow } from '../../../engine/core/dedup.ts';

const kinds: DedupKind[] = ['map', 'compact'];

/** One publish: the sequence it is stored under, or the sequence of the one it repeats. */
function publish(window: DedupWindow, id: string, sequence: number, nowNs: number): string {
  const bytes = latin1Bytes(id);
  const known = window.find(bytes, 0, bytes.length, nowNs);
  if (known !== 0) return `dup ${known}`;
  window.insert(bytes, 0, bytes.length, sequence, nowNs);
  return `ok ${sequence}`;
}

function find(window: DedupWindow, id: string, nowNs: number): number {
  return window.find(latin1Bytes(id), 0, id.length, nowNs);
}

function insert(window: DedupWindow, id: string, sequence: number, nowNs: number): void {
  window.insert(latin1Bytes(id), 0, id.length, sequence, nowNs);
}

function entriesOf(window: DedupWindow): string[] {
  const entries: string[] = [];
  window.forEach((bytes, start, end, sequence, storedNs) => {
    entries.push(`${latin1Text(bytes, start, end)} ${sequence} ${storedNs}`);
  });
  return entries;
}

describe.each(kinds)('dedup window, %s', (kind) => {
  it('knows an id for the window after it was stored, and a duplicate does not refresh it (case C03)', () => {
    const window = openDedupWindow(kind, 1 * second, 7);
    expect(window.kind).toBe(kind);
    expect(publish(window, 'k', 1, 0)).toBe('ok 1');
    expect(publish(window, 'k', 2, 0.5 * second)).toBe('dup 1');
    expect(publish(window, 'k', 2, 0.9 * second)).toBe('dup 1');
    expect(publish(window, 'k', 2, 1.4 * second)).toBe('ok 2');
    expect(publish(window, 'k', 3, 2.6 * second)).toBe('ok 3');
  });

  it('is half-open: exactly one window later the id is free (invariant D6)', () => {
    const window = openDedupWindow(kind, 1000, 7);
    insert(window, 'a', 5, 100);
    expect(find(window, 'a', 1099)).toBe(5);
    expect(find(window, 'a', 1100)).toBe(0);
    expect(window.nextExpiryNs()).toBe(1100);
    window.expire(1099, 10);
    expect(window.entryCount).toBe(1);
    window.expire(1100, 10);
    expect(window.entryCount).toBe(0);
    expect(window.nextExpiryNs()).toBe(Infinity);
  });

  it('keeps an id stored again when its older entry is forgotten (reliability N1)', () => {
    const window = openDedupWindow(kind, 1000, 7);
    insert(window, 'a', 1, 0);
    expect(publish(window, 'a', 2, 1000)).toBe('ok 2');
    expect(window.entryCount).toBe(2);
    window.expire(1001, 1);
    expect(window.entryCount).toBe(1);
    expect(find(window, 'a', 1500)).toBe(2);
  });

  it('forgets oldest first, at most as many as asked', () => {
    const window = openDedupWindow(kind, 10, 7);
    for (let index = 0; index < 5; index += 1) insert(window, `id-${index}`, index + 1, index);
    window.expire(100, 2);
    expect(entriesOf(window)).toEqual(['id-2 3 2', 'id-3 4 3', 'id-4 5 4']);
    window.expire(100, 0);
    expect(window.entryCount).toBe(3);
    window.expire(100, 100);
    expect(window.entryCount).toBe(0);
  });

  it('visits ids in order of arrival, with any bytes and any length', () => {
    const window = openDedupWindow(kind, second, 7);
    const ids = [
      'z',
      'a',
      '\u0000\u00ff',
      'm'.repeat(65_535),
      'é'.repeat(300),
      'y'.repeat(63),
      'x'.repeat(64),
    ];
    ids.forEach((id, index) => insert(window, id, index + 1, index));
    expect(entriesOf(window)).toEqual(ids.map((id, index) => `${id} ${index + 1} ${index}`));
    ids.forEach((id, index) => expect(find(window, id, 100)).toBe(index + 1));
    expect(find(window, 'm'.repeat(65_534), 100)).toBe(0);
  });

  it('holds sequences to 2^53 - 1, falling ones, and times on both sides of the epoch', () => {
    const window = openDedupWindow(kind, 1e18, 7);
    const entries: [string, number, number][] = [
      ['a', Number.MAX_SAFE_INTEGER, -4_000_000_000_001],
      ['b', 1, -1],
      ['c', 2 ** 40 + 1, 0],
      ['d', 3, 2 ** 36 + 3],
      ['e', 2 ** 52 + 1, 2 ** 53 - 1],
    ];
    for (const [id, sequence, storedNs] of entries) insert(window, id, sequence, storedNs);
    expect(entriesOf(window)).toEqual(entries.map((entry) => entry.join(' ')));
    for (const [id, sequence] of entries) expect(find(window, id, 2 ** 53 - 1)).toBe(sequence);
  });

  it('does not recall what was over when the window grows, and forgets at once when it shrinks (spec 5.5)', () => {
    const window = openDedupWindow(kind, 100, 7);
    insert(window, 'a', 1, 0);
    insert(window, 'b', 2, 60);
    window.expire(120, 0);
    window.setWindow(1000);
    expect(window.windowNs).toBe(1000);
    expect(find(window, 'a', 120)).toBe(0);
    expect(find(window, 'b', 120)).toBe(2);
    window.setWindow(50);
    expect(find(window, 'b', 120)).toBe(0);
  });

  it('answers rightly when an insert does not follow its find', () => {
    const window = openDedupWindow(kind, 1000, 7);
    const shared = latin1Bytes('aaaa');
    expect(window.find(shared, 0, 4, 0)).toBe(0);
    shared.set(latin1Bytes('bbbb'));
    window.insert(shared, 0, 4, 1, 0);
    expect(window.find(shared, 0, 4, 0)).toBe(1);
    expect(find(window, 'aaaa', 0)).toBe(0);
    for (let index = 0; index < 500; index += 1) insert(window, `other-${index}`, index + 2, 0);
    insert(window, 'aaaa', 900, 0);
    expect(find(window, 'aaaa', 0)).toBe(900);
    expect(window.entryCount).toBe(502);
  });

  it('reads ids from inside a larger array', () => {
    const window = openDedupWindow(kind, 1000, 7);
    const bytes = latin1Bytes('xxmessage-1yy');
    window.insert(bytes, 2, 11, 1, 0);
    expect(find(window, 'message-1', 1)).toBe(1);
    expect(window.find(bytes, 2, 12, 1)).toBe(0);
  });

  it('refuses a window of zero, an empty id, a sequence below one and time that falls', () => {
    expect(() => openDedupWindow(kind, 0, 7)).toThrow('windowNs 0');
    const window = openDedupWindow(kind, 1000, 7);
    expect(() => window.setWindow(-1)).toThrow('windowNs -1');
    expect(() => insert(window, '', 1, 0)).toThrow('at least one byte');
    expect(() => insert(window, 'a', 0, 0)).toThrow('sequence 0');
    insert(window, 'a', 1, 10);
    expect(() => insert(window, 'b', 2, 9)).toThrow('never falls');
  });
});
