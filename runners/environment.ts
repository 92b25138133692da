// What a measurement depends on besides us. No paths, no host names, no addresses: records are published.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as os from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../results/run.ts';

/** Fingerprint of machine and build. Equal `id`s may be compared; load and commit are not part of it. */
export function readEnvironment(): Environment {
  const cpus = os.cpus();
  const comparable = {
    cpuModel: cpus[0]?.model.trim() || 'unknown',
    coreCount: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    platform: `${process.platform} ${process.arch}`,
    kernel: os.release(),
    nodeVersion: process.version,
    build: buildKind(),
    governor: readGovernor(),
  };
  return {
    id: environmentId(comparable),
    ...comparable,
    loadAverage: os.loadavg()[0] ?? 0,
    gitCommit: readCommit(),
  };
}

type Comparable = Omit<Environment, 'id' | 'loadAverage' | 'gitCommit'>;

/** First 16 hex digits of the SHA-256 of the comparable part; memory counts in whole GiB, since kernels differ in what they keep. */
export function environmentId(comparable: Comparable): string {
  const gibibytes = Math.round(comparable.memoryBytes / 2 ** 30);
  const text = JSON.stringify({ ...comparable, memoryBytes: gibibytes }, Object.keys(comparable).toSorted());
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** 'dist' when the compiled files run, 'source' under a test runner: the second is never a measurement. */
function buildKind(): 'dist' | 'source' {
  return import.meta.url.endsWith('.ts') ? 'source' : 'dist';
}

function readGovernor(): string | null {
  return firstLine('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor');
}

function readCommit(): string | null {
  try {
    const options = {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
      stdio: 'pipe',
    } as const;
    const [commit = '', prefix = ''] = execFileSync(
      'git',
      ['rev-parse', 'HEAD', '--show-prefix'],
      options,
    ).split('\n');
    // An installed package lies somewhere inside a repository of the user's, whose commit says nothing about us.
    return /^(dist\/)?runners\/$/.test(prefix) ? commit : null;
  } catch {
    return null; // no repository around an installed package
  }
}

function firstLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').split('\n')[0]?.trim() ?? null;
  } catch {
    return null; // not every machine tells
  }
}
