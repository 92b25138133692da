// Results are one append-only file of JSON lines, one record a trial. A line is never changed or deleted: what a crash
// tore stays where it is, is reported, and is ignored.

import { appendFileSync, closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { z } from 'zod';
import type { CaveatKind } from './caveats.ts';
import { recordProblems } from './invariants.ts';
import { type Run, runSchema, schemaVersion } from './run.ts';

const brokenRecordKind = 'broken-record' satisfies CaveatKind;

/** A record that contradicts itself or its schema without saying so. Its numbers would mislead, so it is not written. */
export class RecordRefused extends Error {
  override readonly name = 'RecordRefused';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the record contradicts itself and was not written: ${problems.join('; ')}`);
    this.problems = problems;
  }
}

export interface StoredRuns {
  readonly runs: Run[];
  /** One sentence for each line that could not be used; the other lines are fine. */
  readonly problems: string[];
}

/**
 * Appends the record as one line in one write. A torn line left by a crash is closed first, so that it costs itself only.
 * Throws RecordRefused when the record breaks its schema, or an invariant without a `broken-record` caveat, and what the
 * file system throws.
 */
export function appendRun(file: string, run: Run): void {
  const checked = checkRecord(run);
  if (checked.problems.length > 0) throw new RecordRefused(checked.problems);
  appendFileSync(file, `${endsMidLine(file) ? '\n' : ''}${JSON.stringify(run)}\n`);
}

/** Reads every usable record. Throws only when the file itself cannot be read. */
export function readRuns(file: string): StoredRuns {
  return parseRuns(readFileSync(file, 'utf8'), file);
}

/** `readRuns` for text that is already here; `source` names it in the problems. */
export function parseRuns(text: string, source: string): StoredRuns {
  const stored: StoredRuns = { runs: [], problems: [] };
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const isTorn = index === lines.length - 1; // every written line ends with a line feed
    const read = parseLine(line, isTorn);
    for (const problem of read.problems) stored.problems.push(`${source} line ${index + 1}: ${problem}`);
    if (read.run !== null) stored.runs.push(read.run);
  }
  return stored;
}

interface ReadRecord {
  readonly run: Run | null;
  readonly problems: readonly string[];
}

function parseLine(line: string, isTorn: boolean): ReadRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    const why = isTorn ? 'ends in the middle of a record (a crash while writing?)' : 'is not JSON';
    return { run: null, problems: [`${why}; ignored, the line stays in the file`] };
  }
  return checkRecord(value);
}

/** Schema version, then fields, then invariants: the first that fails explains the rest. */
function checkRecord(value: unknown): ReadRecord {
  const versionProblem = problemOfVersion(value);
  if (versionProblem !== null) return { run: null, problems: [versionProblem] };
  const parsed = runSchema.safeParse(value);
  if (!parsed.success) {
    return { run: null, problems: parsed.error.issues.map((issue) => describeIssue(issue, value)) };
  }
  if (isMarkedBroken(parsed.data)) return { run: withoutHistograms(parsed.data), problems: [] };
  const problems = recordProblems(parsed.data);
  return { run: problems.length === 0 ? parsed.data : null, problems };
}

// A record that says itself that it is broken is kept as evidence. Nobody may read latencies off it.
function isMarkedBroken(run: Run): boolean {
  const isMarked = run.caveats.some((one) => one.kind === brokenRecordKind && one.severity === 'invalid');
  return isMarked && (run.verdict === 'invalid' || run.verdict === 'violation');
}

function withoutHistograms(run: Run): Run {
  const histograms = { response: null, service: null, lateness: null, endToEnd: null };
  return { ...run, phases: run.phases.map((phase) => ({ ...phase, histograms })) };
}

// Where a record of an older schema will be brought up to date, once there is an older schema.
function problemOfVersion(value: unknown): string | null {
  const version = valueAt(value, ['schema']);
  if (version === schemaVersion) return null;
  if (typeof version === 'number' && version > schemaVersion) {
    return `schema ${version} is newer than ${schemaVersion}, the newest that this oncemark reads; use a newer oncemark`;
  }
  return `schema: ${shown(version)} is not ${schemaVersion}; this is no record of oncemark`;
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  const path = issue.path.map(String).join('.');
  const seen = issue.code === 'unrecognized_keys' ? '' : `: ${shown(valueAt(value, issue.path))}`;
  return `${path === '' ? 'record' : path}${seen}: ${issue.message}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function endsMidLine(file: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  try {
    const { size } = fstatSync(descriptor);
    if (size === 0) return false;
    const last = new Uint8Array(1);
    readSync(descriptor, last, 0, 1, size - 1);
    return last[0] !== 0x0a;
  } finally {
    closeSync(descriptor);
  }
}
