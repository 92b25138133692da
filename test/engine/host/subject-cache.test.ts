import { describe, expect, test } from 'vitest';
import { latin1Bytes } from '../../../engine/base/bytes.ts';
import { SubjectCache } from '../../../engine/host/subject-cache.ts';

function find(cache: SubjectCache<string>, subject: string): string | null {
  const bytes = latin1Bytes(`>>${subject}<<`);
  const entry = cache.find(bytes, 2, 2 + subject.length);
  return entry === 0 ? null : cache.resultOf(entry);
}

function insert(cache: SubjectCache<string>, subject: string, forPrefix: boolean): void {
  const bytes = latin1Bytes(`>${subject}<`);
  cache.insert(bytes, 1, 1 + subject.length, forPrefix, `${subject}${forPrefix ? ' and its like' : ''}`);
}

describe('SubjectCache', () => {
  test('finds whole subjects, and prefixes under any last token', () => {
    const cache = new SubjectCache<string>(7, 16);
    insert(cache, 'orders.eu', false);
    insert(cache, '_INBOX.abc.1', true);
    expect(find(cache, 'orders.eu')).toBe('orders.eu');
    expect(find(cache, 'orders.us')).toBe(null);
    expect(find(cache, '_INBOX.abc.2222')).toBe('_INBOX.abc.1 and its like');
    expect(find(cache, '_INBOX.abc.2.2')).toBe(null);
    expect(find(cache, '_INBOX.abd.1')).toBe(null);
    expect(find(cache, '_INBOX.abc')).toBe(null);
    cache.clear();
    expect(find(cache, 'orders.eu')).toBe(null);
    expect(find(cache, '_INBOX.abc.1')).toBe(null);
  });

  test('a subject of one token has no prefix', () => {
    const cache = new SubjectCache<string>(7, 16);
    insert(cache, 'a', true);
    expect(find(cache, 'a')).toBe('a and its like');
    expect(find(cache, 'b')).toBe(null);
  });

  test('a subject that ends in a dot is never a key', () => {
    const cache = new SubjectCache<string>(7, 16);
    insert(cache, 'a.', false);
    insert(cache, '', false);
    expect(find(cache, 'a.b')).toBe(null);
    insert(cache, 'a.b', true);
    expect(find(cache, 'a.')).toBe(null);
    expect(find(cache, '')).toBe(null);
  });

  test('drops everything when it is full, of entries or of bytes', () => {
    const cache = new SubjectCache<string>(7, 4);
    for (const subject of ['a', 'b', 'c', 'd']) insert(cache, subject, false);
    expect(['a', 'b', 'c', 'd'].map((subject) => find(cache, subject))).toEqual(['a', 'b', 'c', 'd']);
    insert(cache, 'e', false);
    expect(['a', 'd', 'e'].map((subject) => find(cache, subject))).toEqual([null, null, 'e']);
    const long = 'x'.repeat(4 * 64);
    insert(cache, long, false);
    expect([find(cache, 'e'), find(cache, long)]).toEqual([null, long]);
    insert(cache, `${long}x`, false);
    expect([find(cache, long), find(cache, `${long}x`)]).toEqual([long, null]);
  });

  test('keeps thousands apart', () => {
    const cache = new SubjectCache<string>(7, 4096);
    const subjects = Array.from({ length: 4096 }, (_, index) => `s.${index % 64}.${index}`);
    for (const subject of subjects) insert(cache, subject, false);
    expect(subjects.map((subject) => find(cache, subject))).toEqual(subjects);
  });
});
