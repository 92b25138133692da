import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** Where a run's results and report go; the folder is made. Throws UsageError. */
export function outputFiles(folder: string): { results: string; report: string } {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--out: "${folder}" cannot be made: ${reason}`, { cause: error });
  }
  return { results: join(folder, 'results.ndjson'), report: join(folder, 'report.html') };
}

/** Sorts by time; the tail keeps two runs of the same second apart. */
export function newRunId(): string {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${stamp}-${randomBytes(2).toString('hex')}`;
}
