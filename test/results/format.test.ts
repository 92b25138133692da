import { describe, expect, it } from 'vitest';
import {
  compareVersions,
  formatBinaryBytes,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRate,
  plural,
} from '../../results/format.ts';

describe('format', () => {
  it('writes what was measured for people', () => {
    expect(formatRate(12_345)).toBe('12.3 k/s');
    expect(formatDuration(1_234_567)).toBe('1.23 ms');
    expect(formatBytes(1_500_000)).toBe('1.50 MB');
    expect(formatPercent(0.257)).toBe('25.7 %');
  });

  it.each([
    [0, '0 ns'],
    [999, '999 ns'],
    [999.6, '1.00 µs'],
    [12_300, '12.3 µs'],
    [999_600, '1.00 ms'],
    [45e9, '45 s'],
    [120e9, '2 m'],
    [150e9, '2 m 30 s'],
    [3600e9, '1 h'],
    [-3e6, '−3 ms'], // clock skew is shown, not cut to zero (C118)
    [null, '–'],
  ])('writes %s ns as %s', (valueNs, text) => {
    expect(formatDuration(valueNs)).toBe(text);
  });

  it('scales value and unit together (C147)', () => {
    expect(formatBinaryBytes(1_500_000)).toBe('1.43 MiB');
    expect(formatBytes(999)).toBe('999 B');
    expect(formatBytes(999_999)).toBe('1.00 MB');
    expect(formatBinaryBytes(1024 ** 3)).toBe('1 GiB');
    expect(formatRate(950)).toBe('950/s');
    expect(formatRate(999_900)).toBe('1.00 M/s');
  });

  it('shows a dash where there is no number (C120)', () => {
    const formats = [formatNumber, formatRate, formatDuration, formatBytes, formatPercent, formatCount];
    expect(formats.map((format) => format(null))).toEqual(formats.map(() => '–'));
    expect(formatNumber(Number.NaN)).toBe('–');
  });

  it('never rounds a small share to nothing', () => {
    expect(formatPercent(0)).toBe('0 %');
    expect(formatPercent(0.0003)).toBe('0.03 %');
    expect(formatPercent(1e-7)).toBe('< 0.001 %');
    expect(formatPercent(1)).toBe('100 %');
  });

  it('groups thousands and counts things', () => {
    expect(formatCount(1_867_491)).toBe('1\u202f867\u202f491');
    expect(plural(1, 'retry', 'retries')).toBe('1 retry');
    expect(plural(0, 'trial')).toBe('0 trials');
  });

  it('orders releases as versions (C155)', () => {
    const releases = ['2.15.1', '2.10.27', '2.9.10', '2.12.0-RC.1', '2.11.0', '2.12.0'];
    expect(releases.toSorted(compareVersions)).toEqual([
      '2.9.10',
      '2.10.27',
      '2.11.0',
      '2.12.0-RC.1',
      '2.12.0',
      '2.15.1',
    ]);
    expect(['main', 'v2.0.0', '1.9'].toSorted(compareVersions)).toEqual(['1.9', 'v2.0.0', 'main']);
    expect(['1.0.0-RC.10', '1.0.0-RC.9'].toSorted(compareVersions)).toEqual(['1.0.0-RC.9', '1.0.0-RC.10']);
  });
});
