// How numbers are written for people: value and unit are scaled together (case C147), null is a dash, never zero.

/** Shown where there is no number. */
export const none = '–';

/** Significant digits as a reader wants them: 1.23, 12.3, 123, 1 234. */
export function formatNumber(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return none;
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1000) return String(value);
  if (size >= 999.5) return groupThousands(Math.round(value));
  const digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return value.toFixed(digits);
}

/** Whole numbers in full, with narrow spaces between thousands. */
export function formatCount(count: number | null): string {
  return count === null ? none : groupThousands(Math.round(count));
}

/** Messages a second: 950/s, 12.3 k/s, 1.20 M/s. */
export function formatRate(perSecond: number | null): string {
  if (perSecond === null) return none;
  return `${scaled(perSecond, 1000, ['', 'k', 'M', 'G'])}/s`;
}

/** Nanoseconds in the unit that fits: 850 ns, 12.3 µs, 1.23 ms, 45.0 s, 2 m 30 s, 1 h. */
export function formatDuration(valueNs: number | null): string {
  if (valueNs === null) return none;
  if (valueNs < 0) return `−${formatDuration(-valueNs)}`;
  if (valueNs >= 119.5e9) return formatMinutes(Math.round(valueNs / 1e9));
  if (valueNs >= 0.9995e9) return `${formatNumber(valueNs / 1e9)} s`;
  if (valueNs >= 0.9995e6) return `${formatNumber(valueNs / 1e6)} ms`;
  if (valueNs >= 999.5) return `${formatNumber(valueNs / 1e3)} µs`;
  return `${formatNumber(valueNs)} ns`;
}

/** Bytes in powers of 1000: 1.50 MB. */
export function formatBytes(bytes: number | null): string {
  return bytes === null ? none : scaled(bytes, 1000, ['B', 'kB', 'MB', 'GB', 'TB']);
}

/** Bytes in powers of 1024: 1.43 MiB. */
export function formatBinaryBytes(bytes: number | null): string {
  return bytes === null ? none : scaled(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
}

/** A fraction of 1 in percent: 0 %, 0.03 %, 25.7 %, 100 %. Small ones keep two significant digits. */
export function formatPercent(fraction: number | null): string {
  if (fraction === null || !Number.isFinite(fraction)) return none;
  const percent = fraction * 100;
  const size = Math.abs(percent);
  if (size === 0) return '0 %';
  if (size < 0.001) return '< 0.001 %';
  if (size < 1) return `${Number(percent.toPrecision(2))} %`;
  return `${Number(percent.toFixed(size >= 99.95 ? 0 : 1))} %`;
}

/** "1 trial", "3 trials". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/**
 * Order of releases: numbers as numbers, a release candidate before its release (case C155).
 * Anything that is not a version sorts behind, as text.
 */
export function compareVersions(left: string, right: string): number {
  const leftParts = versionParts(left);
  const rightParts = versionParts(right);
  if (leftParts === null || rightParts === null) {
    if (leftParts === rightParts) return compareText(left, right);
    return leftParts === null ? 1 : -1;
  }
  for (let index = 0; index < 3; index += 1) {
    const difference = (leftParts.numbers[index] ?? 0) - (rightParts.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePreReleases(leftParts.preRelease, rightParts.preRelease);
}

function versionParts(text: string): { numbers: number[]; preRelease: string } | null {
  const match = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(text.trim());
  if (match === null) return null;
  return { numbers: (match[1] as string).split('.').map(Number), preRelease: match[2] ?? '' };
}

function comparePreReleases(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '' || right === '') return left === '' ? 1 : -1;
  return new Intl.Collator('en', { numeric: true }).compare(left, right);
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function formatMinutes(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = seconds % 60;
  const parts = [
    hours > 0 ? `${hours} h` : '',
    minutes > 0 ? `${minutes} m` : '',
    rest > 0 ? `${rest} s` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function scaled(value: number, step: number, units: readonly string[]): string {
  let rest = value;
  let index = 0;
  while (Math.abs(rest) >= step - 0.5 && index < units.length - 1) {
    rest /= step;
    index += 1;
  }
  const unit = units[index] as string;
  return unit === '' ? formatNumber(rest) : `${formatNumber(rest)} ${unit}`;
}

function groupThousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}
