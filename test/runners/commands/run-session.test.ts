import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { carryOut, commandLine, finishedLine } from '../../../runners/commands/run-session.ts';
import { defaultPlan } from '../../../runners/default-plan.ts';
import { resolvePlan } from '../../../runners/plan-resolve.ts';
import type { TrialRequest } from '../../../runners/trial.ts';
import { readRuns } from '../../../results/store.ts';
import type { Run } from '../../../results/run.ts';
import { buildRun } from '../../support/runs.ts';
import { everyKind } from '../../support/workloads.ts';

const folder = mkdtempSync(join(tmpdir(), 'oncemark-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const plan = {
  ...defaultPlan,
  seed: '7',
  repeats: 2,
  trials: [{ workload: 'every-kind', parameters: { rate: '1k/s,2k/s' } }],
};
const trials = resolvePlan(plan, { 'every-kind': everyKind });
const target = { spec: 'engine', open: () => Promise.reject(new Error('not opened here')) };

/** Carries the plan out with a stand-in for trials that calls `during` with each request. */
async function session(
  file: string,
  during: (request: TrialRequest, abort: AbortController) => void,
): Promise<{ runs: Run[]; lines: string[] }> {
  const abort = new AbortController();
  const runs: Run[] = [];
  const lines: string[] = [];
  await carryOut(
    {
      plan,
      trials,
      targets: new Map([['engine', target]]),
      environment: buildRun().environment,
      runId: 'run-1',
      resultsFile: join(folder, file),
      signal: abort.signal,
      progress: { start: () => {}, update: () => {}, finish: (line) => lines.push(line), stop: () => {} },
      runTrial: (request) => {
        during(request, abort);
        return Promise.resolve({
          ...buildRun({}),
          repeat: request.repeat,
          trial: request.trial,
          partial: abort.signal.aborted,
        });
      },
    },
    runs,
  );
  return { runs, lines };
}

test('each trial is carried out in order and stored at once', async () => {
  const requests: TrialRequest[] = [];
  const stored: number[] = [];
  const { runs, lines } = await session('all.ndjson', (request) => {
    stored.push(requests.length === 0 ? 0 : readRuns(join(folder, 'all.ndjson')).runs.length);
    requests.push(request);
  });
  expect(stored).toEqual([0, 1, 2, 3]);
  expect(requests.map((request) => `${request.parameters['rate']} seed ${request.seed}`)).toEqual([
    '1k/s seed 7/0',
    '2k/s seed 7/0',
    '2k/s seed 7/1',
    '1k/s seed 7/1',
  ]);
  expect(readRuns(join(folder, 'all.ndjson')).runs).toEqual(runs);
  expect(lines).toHaveLength(4);
});

test('an interruption makes the trial that goes on the last one', async () => {
  const { runs } = await session('cut.ndjson', (request, abort) => {
    if (request.trial === 1) abort.abort();
  });
  expect(runs.map((run) => run.partial)).toEqual([false, true]);
});

test('what was typed is recorded without paths of ours and without passwords', () => {
  expect(
    commandLine(['/usr/bin/node', '/somewhere/cli.js', 'run', '--target', 'nats://me:secret@h:1']),
  ).toEqual(['oncemark', 'run', '--target', 'nats://me:***@h:1']);
});

test('the line of a finished trial has rate, latency, what became of the messages, and the verdict', () => {
  const line = finishedLine({ ...buildRun({ rate: 10_000 }), partial: true });
  expect(line).toMatch(
    /^publish on nats-server 2\.15\.1 {2}.*k\/s {2}p99 .* stored {2}.* dup {2}0 leaked {2}0 lost {2}0 redelivered {2}valid \(partial\)$/,
  );
});
