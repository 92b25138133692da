import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRuns } from '../../results/store.ts';
import { lastLine, type Running, startOncemark, testFolder } from '../support/command-line.ts';

/** A run of two long trials on the engine, once the engine and its guard are there. */
async function longRun(folder: string): Promise<{ running: Running; children: number[] }> {
  const args = [
    'run',
    '--workload',
    'publish',
    '--set',
    'duration=20s',
    '--set',
    'rate=1k/s,2k/s',
    '--target',
    'engine',
  ];
  const running = startOncemark([...args, '--out', folder]);
  await running.printed('machine  ');
  const children = await until('engine and guard', () => {
    const found = childrenOf(running.child.pid ?? 0);
    return found !== null && found.length >= 2 ? found : null;
  });
  return { running, children };
}

function childrenOf(pid: number): number[] | null {
  try {
    const text = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    return text.trim().split(/\s+/).map(Number);
  } catch {
    return null; // ps fails when there is none
  }
}

function isGone(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return true;
  }
}

async function until<T>(what: string, find: () => T | null): Promise<T> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const found = find();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no ${what} within 10 s`);
}

test('Ctrl-C ends the trial, keeps what is done, marks it partial and still writes the report', async () => {
  const folder = testFolder();
  const { running, children } = await longRun(folder);
  await new Promise((resolve) => setTimeout(resolve, 2000)); // into the measured phase of the first trial
  running.child.kill('SIGINT');
  const end = await running.finished;
  expect(end.stderr).toContain('SIGINT: ending this trial; what is done is kept. Once more quits at once.');
  expect(lastLine(end.stdout)).toContain('Interrupted: 1 of 2 trials, kept as partial.');
  expect(end.code).toBe(130);
  const { runs } = readRuns(join(folder, 'results.ndjson'));
  expect(runs.map((run) => run.partial)).toEqual([true]);
  expect(existsSync(join(folder, 'report.html'))).toBe(true);
  await until('end of the engine', () => (children.every(isGone) ? true : null));
}, 60_000);

test('a second Ctrl-C quits at once and leaves no server behind', async () => {
  const { running, children } = await longRun(testFolder());
  running.child.kill('SIGINT');
  await running.printed('Once more quits at once.');
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
  await until('end of the engine', () => (children.every(isGone) ? true : null));
}, 60_000);

test('SIGTERM is told by its own code', async () => {
  const { running } = await longRun(testFolder());
  running.child.kill('SIGTERM');
  expect((await running.finished).code).toBe(143);
}, 60_000);

test('a run that is killed outright leaves no server behind', async () => {
  const { running, children } = await longRun(testFolder());
  running.child.kill('SIGKILL');
  await running.finished;
  await until('end of the engine', () => (children.every(isGone) ? true : null));
}, 60_000);
