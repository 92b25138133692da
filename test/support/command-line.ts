// The built command line as a user runs it: a process of its own, its two streams and its exit code.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const cli = fileURLToPath(new URL('../../dist/runners/cli.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves once the text has been printed on either stream, with all that this stream has printed. */
  printed(text: string): Promise<string>;
}

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A fresh folder for what a test writes, removed after the tests of its file. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'oncemark-test-'));
  folders.push(folder);
  return folder;
}

/** Starts `oncemark ARGS`. Throws when it was not built. */
export function startOncemark(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Running {
  if (!existsSync(cli)) throw new Error('dist/ is missing: run `npm run build` before the end-to-end tests');
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', ...environment };
  const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const seen = { stdout: '', stderr: '' };
  const waiting = new Map<string, (seen: string) => void>();
  const keep = (stream: 'stdout' | 'stderr') => (text: string) => {
    seen[stream] += text;
    for (const [wanted, resolve] of waiting) if (seen[stream].includes(wanted)) resolve(seen[stream]);
  };
  child.stdout.setEncoding('utf8').on('data', keep('stdout'));
  child.stderr.setEncoding('utf8').on('data', keep('stderr'));
  const finished = new Promise<Finished>((resolve) =>
    child.once('close', (code) => resolve({ code, ...seen })),
  );
  return {
    child,
    finished,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const stream = [seen.stdout, seen.stderr].find((printed) => printed.includes(text));
        if (stream !== undefined) resolve(stream);
        waiting.set(text, resolve);
        void finished.then((end) =>
          reject(new Error(`ended without printing "${text}": ${JSON.stringify(end)}`)),
        );
      }),
  };
}

/** Runs `oncemark ARGS` to its end. */
export function oncemark(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return startOncemark(args, environment).finished;
}

/** The last line that is not empty. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
