import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRuns } from '../../results/store.ts';
import { lastLine, oncemark, testFolder } from '../support/command-line.ts';
import { natsServerPath, requireNatsServer } from '../support/real.ts';

const workloadNames = ['publish', 'publish-retry', 'consume', 'ack-then-retry'];
const smoke = ['--smoke', ...workloadNames.flatMap((name) => ['--workload', name])];

interface RunDocument {
  readonly verdict: string;
  readonly exitCode: number;
  readonly partial: boolean;
  readonly trials: { readonly planned: number; readonly done: number };
  readonly results: string;
  readonly report: string;
  readonly cells: readonly {
    readonly workload: string;
    readonly audit: Record<string, number>;
    readonly verdict: string;
  }[];
}

/** What must hold of every record, whatever the machine did: the counts of the audit and of the stream agree. */
function expectCountsAgree(resultsFile: string): void {
  const { runs, problems } = readRuns(resultsFile);
  expect(problems).toEqual([]);
  for (const run of runs) {
    const { totals, verdict, findings } = run.audit;
    expect({ verdict, findings: findings.filter((finding) => finding.severity === 'violation') }).toEqual({
      verdict: 'valid',
      findings: [],
    });
    expect(totals.storedRead).toBe(totals.storedReported);
    expect(totals.duplicateFlagged).toBe(run.totals.duplicate);
  }
}

async function smokeRun(target: string): Promise<RunDocument> {
  const folder = testFolder();
  const end = await oncemark(['run', ...smoke, '--target', target, '--out', folder, '--json']);
  expect(end.stderr).toContain('[4/4]');
  const document = JSON.parse(end.stdout) as RunDocument;
  expect(end.code).toBe(document.exitCode);
  expect(document.trials).toEqual({ planned: 4, done: 4 });
  expect(document.cells.map((cell) => cell.workload)).toEqual(workloadNames);
  expect(readFileSync(document.report, 'utf8')).toContain('</html>');
  expectCountsAgree(document.results);
  return document;
}

describe('the smoke plan runs, accounts for every message and writes results and report', () => {
  test('on the engine in a process of its own', async () => {
    await smokeRun('engine');
  }, 60_000);

  test('on the engine in this process', async () => {
    await smokeRun('inproc');
  }, 60_000);

  test.each(['2.9.10', '2.10.27', '2.15.1'] as const)(
    'on nats-server %s',
    async (version) => {
      if (!requireNatsServer(version)) return;
      await smokeRun(`nats-server:${natsServerPath(version)}`);
    },
    60_000,
  );
});

test('lines end with table, files and verdict', async () => {
  const folder = testFolder();
  const end = await oncemark([
    'run',
    '--smoke',
    '--workload',
    'publish',
    '--target',
    'inproc',
    '--out',
    folder,
  ]);
  expect(end.stdout).toContain('stream   publish: retention limits, storage memory, duplicate_window');
  expect(end.stdout).toContain(
    `results  ${join(folder, 'results.ndjson')}\nreport   ${join(folder, 'report.html')}\n`,
  );
  expect(lastLine(end.stdout)).toMatch(/^verdict: (valid|invalid|unknown) - .*\.$/);
}, 60_000);

test('a server that is not there makes an invalid run, not a crash', async () => {
  const args = [
    'run',
    '--smoke',
    '--workload',
    'publish',
    '--target',
    'nats://127.0.0.1:1',
    '--out',
    testFolder(),
  ];
  const end = await oncemark(args);
  expect(lastLine(end.stdout)).toMatch(/^verdict: invalid - /);
  expect(end.code).toBe(6);
}, 60_000);

test('planted loss is found: exit code 4 and the finding in words', async () => {
  const args = [
    'run',
    '--smoke',
    '--workload',
    'publish',
    '--target',
    'scripted:lose@10',
    '--out',
    testFolder(),
  ];
  const end = await oncemark(args);
  expect(end.stdout).toContain('1 lost-acknowledged');
  expect(lastLine(end.stdout)).toMatch(/^verdict: violation - /);
  expect(end.code).toBe(4);
}, 60_000);

test('a report is rebuilt from stored results', async () => {
  const folder = testFolder();
  await oncemark([
    'run',
    '--smoke',
    '--workload',
    'publish',
    '--target',
    'inproc',
    '--out',
    folder,
    '--quiet',
  ]);
  const file = join(folder, 'again.html');
  const end = await oncemark(['report', folder, '-o', file]);
  expect(end).toMatchObject({ code: 0, stderr: '' });
  expect(end.stdout).toContain(`report   ${file} (1 trial)`);
  expect(readFileSync(file, 'utf8')).toContain('</html>');
}, 60_000);
