import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isValidSubject, patternsOverlap, subjectMatches } from '../../../engine/base/subject.ts';

const token = fc.constantFrom('a', 'b', 'foo', 'foo*', '>x');
const subject = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join('.'));
const pattern = fc
  .tuple(fc.array(fc.oneof(token, fc.constant('*')), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([tokens, isOpen]) => [...tokens, ...(isOpen ? ['>'] : [])].join('.'));

function oracle(text: string): RegExp {
  const source = text.split('.').map((part, index, parts) => {
    if (part === '*') return '[^.]+';
    if (part === '>' && index === parts.length - 1) return '[^.]+(?:\\.[^.]+)*';
    return part.replace(/[*+?]/g, '\\$&');
  });
  return new RegExp(`^${source.join('\\.')}$`);
}

describe('subjectMatches', () => {
  test("'*' stands for one token and a last '>' for one or more", () => {
    expect(subjectMatches('orders.*.new', 'orders.eu.new')).toBe(true);
    expect(subjectMatches('orders.*.new', 'orders.eu.west.new')).toBe(false);
    expect(subjectMatches('orders.>', 'orders.eu.new')).toBe(true);
    expect(subjectMatches('orders.>', 'orders')).toBe(false);
    expect(subjectMatches('>', 'orders')).toBe(true);
    expect(subjectMatches('orders', 'order')).toBe(false);
  });

  test('a wildcard in the subject is a token like others', () => {
    expect(subjectMatches('a.*', 'a.*')).toBe(true);
    expect(subjectMatches('a.b', 'a.*')).toBe(false);
  });

  test('agrees with a regular expression', () => {
    fc.assert(
      fc.property(pattern, subject, (left, right) => {
        expect(subjectMatches(left, right)).toBe(oracle(left).test(right));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('patternsOverlap', () => {
  test.each([
    ['a.*', '*.b', true],
    ['a.>', 'a.b.c', true],
    ['a.>', 'a', false],
    ['a.*', 'a.*.c', false],
    ['a.b', 'a.c', false],
    ['>', '*', true],
    ['*.x.>', 'a.*', false],
    ['*.x.>', 'a.>', true],
  ])('%s and %s: %s', (left, right, expected) => {
    expect(patternsOverlap(left, right)).toBe(expected);
    expect(patternsOverlap(right, left)).toBe(expected);
  });

  test('a subject that both match proves an overlap', () => {
    fc.assert(
      fc.property(pattern, pattern, subject, (left, right, witness) => {
        fc.pre(oracle(left).test(witness) && oracle(right).test(witness));
        expect(patternsOverlap(left, right)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('an overlap has a witness: each wildcard takes what the other has there', () => {
    fc.assert(
      fc.property(pattern, pattern, (left, right) => {
        const witness = mergedTokens(left.split('.'), right.split('.'));
        const bothMatch = oracle(left).test(witness) && oracle(right).test(witness);
        expect(patternsOverlap(left, right)).toBe(bothMatch);
      }),
      { numRuns: 2000 },
    );
  });
});

function mergedTokens(left: readonly string[], right: readonly string[]): string {
  const longer = left.length > right.length ? left : right;
  return longer
    .map((_, index) => {
      const choices = [left[index], right[index]].filter((part) => part !== undefined);
      return choices.find((part) => part !== '*' && part !== '>') ?? 'w';
    })
    .join('.');
}

describe('isValidSubject', () => {
  test.each([
    ['a', true, true],
    ['a.b.c', true, true],
    ['foo*.b>', true, true],
    ['a.*', false, true],
    ['*', false, true],
    ['a.>', false, true],
    ['>', false, true],
    ['>.a', false, false],
    ['', false, false],
    ['.a', false, false],
    ['a.', false, false],
    ['a..b', false, false],
    ['a b', false, false],
    ['a.\tb', false, false],
    ['a\r\nb', false, false],
    ['a\fb', false, false],
  ])('%j: literal %s, with wildcards %s', (text, literal, withWildcards) => {
    expect(isValidSubject(text, false)).toBe(literal);
    expect(isValidSubject(text, true)).toBe(withWildcards);
  });
});
