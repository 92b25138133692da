import { describe, expect, test } from 'vitest';
import { checkRates, Span } from '../../runners/trial-rates.ts';

function span(count: number, firstNs: number, everyNs: number): Span {
  const result = new Span();
  for (let index = 0; index < count; index += 1) result.note(firstNs + index * everyNs);
  return result;
}

test('a span gives the rate between its first and last moment', () => {
  expect(span(1001, 5e9, 1e6).perSecond).toBe(1000);
  expect(span(1, 0, 1).perSecond).toBeNull();
  expect(new Span().perSecond).toBeNull();
});

describe('two clocks over the same messages', () => {
  test('agree when the stream stored each a constant time after its send', () => {
    expect(checkRates(span(1000, 0, 1e6), span(1000, 3e9, 1e6), 0)).toEqual({
      ownPerSecond: 1000,
      streamPerSecond: 1000,
    });
  });

  test('may differ by the longest way from send to store', () => {
    const sent = span(1000, 0, 1e6);
    const stored = span(1000, 0, 1.05e6); // 50 ms longer over all
    expect(checkRates(sent, stored, 60e6)?.ownPerSecond).toBe(stored.perSecond);
    expect(checkRates(sent, stored, 10e6)?.ownPerSecond).toBe(sent.perSecond);
  });

  test('say nothing about few messages', () => {
    expect(checkRates(span(50, 0, 1e6), span(50, 0, 1e6), 0)).toBeNull();
  });
});
