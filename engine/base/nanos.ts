// Time inside the engine is an integer number of nanoseconds since the engine's epoch, as a double:
// exact to 104 days, and three times cheaper to compare than a bigint.

/** Nanoseconds since an epoch that the caller names. */
export type Nanos = number;

export const millisecond: Nanos = 1e6;
export const second: Nanos = 1e9;

/**
 * The instant that engine time zero stands for, split so that adding never needs a bigint:
 * whole seconds since 1970 and the nanoseconds within that second.
 */
export interface Epoch {
  readonly unixSeconds: number;
  readonly nanos: number;
}

/** Splits milliseconds since 1970 into an epoch. */
export function epochFromUnixMilliseconds(milliseconds: number): Epoch {
  const unixSeconds = Math.floor(milliseconds / 1000);
  return { unixSeconds, nanos: Math.round((milliseconds - unixSeconds * 1000) * 1e6) };
}

/** Whole seconds and nanoseconds of an engine time, since 1970. */
export function unixTime(epoch: Epoch, at: Nanos): Epoch {
  const sum = epoch.nanos + at;
  const carried = Math.floor(sum / second);
  return { unixSeconds: epoch.unixSeconds + carried, nanos: sum - carried * second };
}

/** RFC 3339 with as many fraction digits as are needed, UTC, as Go prints it (spec, units). */
export function rfc3339(epoch: Epoch, at: Nanos): string {
  const time = unixTime(epoch, at);
  const date = new Date(time.unixSeconds * 1000).toISOString().slice(0, 19);
  if (time.nanos === 0) return `${date}Z`;
  return `${date}.${String(time.nanos).padStart(9, '0').replace(/0+$/, '')}Z`;
}

/** Engine time of an RFC 3339 instant, or NaN when the text is not one. */
export function nanosFromRfc3339(epoch: Epoch, text: string): Nanos {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return Number.NaN;
  const unixSeconds = Date.parse(`${match[1]}${match[3]}`) / 1000;
  const nanos = Number((match[2] ?? '').padEnd(9, '0'));
  return (unixSeconds - epoch.unixSeconds) * second + nanos - epoch.nanos;
}
