// How golden scripts write values: durations with units, bodies in quotes, `field=value`.

const unitNs: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 };

/** Fields of the JetStream API that hold nanoseconds. */
const durationFields = new Set([
  'ack_wait',
  'backoff',
  'delay',
  'duplicate_window',
  'expires',
  'idle_heartbeat',
  'inactive_threshold',
  'max_age',
  'max_expires',
]);

const listFields = new Set(['backoff', 'filter_subjects', 'subjects']);

/** Nanoseconds of `1.5s`, `100ms`, `-1s` or `0`. */
export function parseDurationNs(text: string): number {
  if (text === '0') return 0;
  const match = /^(-?\d+(?:\.\d+)?)(ns|us|ms|s|m|h)$/.exec(text);
  if (match === null) throw new Error(`a duration has a unit, as in 1.5s or 100ms: ${text}`);
  return Math.round(Number(match[1]) * (unitNs[match[2] ?? ''] ?? Number.NaN));
}

/** The shortest exact way to write it. */
export function formatDuration(durationNs: number): string {
  if (durationNs === 0) return '0';
  const unit =
    ['h', 'm', 's', 'ms', 'us'].find((name) => durationNs % (unitNs[name] ?? Number.NaN) === 0) ?? 'ns';
  return `${durationNs / (unitNs[unit] ?? 1)}${unit}`;
}

/** The JSON value of `field=text`. */
export function parseFieldValue(field: string, text: string): unknown {
  if (!listFields.has(field)) return parseScalar(field, text);
  return text === '' ? [] : text.split(',').map((item) => parseScalar(field, item));
}

function parseScalar(field: string, text: string): unknown {
  if (durationFields.has(field)) return parseDurationNs(text);
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/** `field=value` as scripts write it; `-` when the answer does not have the field. */
export function formatField(field: string, value: unknown): string {
  return `${field}=${formatValue(field, value)}`;
}

function formatValue(field: string, value: unknown): string {
  if (value === undefined) return '-';
  if (Array.isArray(value)) return value.map((item) => formatValue(field, item)).join(',');
  if (typeof value === 'number' && durationFields.has(field)) return formatDuration(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A command line taken apart. */
export interface Words {
  readonly verb: string;
  /** Bare words after the verb. */
  readonly plain: readonly string[];
  /** `name=value` words, in order. */
  readonly named: ReadonlyMap<string, string>;
  /** The word in double quotes, with JSON escapes. */
  readonly quoted: string | null;
}

/** Takes a command line apart. Quotes may also stand around a value: `header:Foo="a b"`. */
export function splitWords(line: string): Words {
  const words = line.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  const [verb = '', ...rest] = words;
  const plain: string[] = [];
  const named = new Map<string, string>();
  let quoted: string | null = null;
  for (const word of rest) {
    const pair = /^([A-Za-z_:-]+)=(.*)$/s.exec(word);
    if (word.startsWith('"')) quoted = unquote(word);
    else if (pair === null) plain.push(word);
    else named.set(pair[1] ?? '', unquote(pair[2] ?? ''));
  }
  return { verb, plain, named, quoted };
}

function unquote(word: string): string {
  return word.startsWith('"') ? (JSON.parse(word) as string) : word;
}
