import { expect, test } from 'vitest';
import {
  type Outcome,
  outcomeDocument,
  outcomeExitCode,
  outcomeLines,
  verdictLine,
} from '../../../runners/commands/run-outcome.ts';
import { summarise } from '../../../results/summary.ts';
import type { Run } from '../../../results/run.ts';
import { buildRun } from '../../support/runs.ts';

function outcome(runs: readonly Run[], changes: Partial<Outcome> = {}): Outcome {
  return {
    summary: summarise(runs),
    runId: 'run-1',
    interruptedCode: null,
    trialsPlanned: runs.length,
    resultsFile: 'out/results.ndjson',
    reportFile: 'out/report.html',
    ...changes,
  };
}

const valid = buildRun({});
const invalid: Run = { ...valid, verdict: 'invalid' };
const violation: Run = { ...valid, verdict: 'violation' };

test.each([
  ['valid', [valid], null, 0],
  ['invalid', [valid, invalid], null, 6],
  ['a violation outranks an invalid trial', [invalid, violation], null, 4],
  ['interrupted', [valid], 130, 130],
  ['an interruption outranks an invalid trial', [invalid], 143, 143],
  ['a violation outranks an interruption', [violation], 130, 4],
  ['nothing measured', [], null, 6],
] as const)('%s', (_, runs, interruptedCode, code) => {
  expect(outcomeExitCode(outcome(runs, { interruptedCode }))).toBe(code);
});

test('the last line is the verdict, the two before it say where the files are', () => {
  expect(outcomeLines(outcome([valid])).slice(-3)).toEqual([
    'results  out/results.ndjson',
    'report   out/report.html',
    `verdict: valid - ${summarise([valid]).sentence}`,
  ]);
});

test('an interruption is told with how much was done', () => {
  expect(verdictLine(outcome([valid], { interruptedCode: 130, trialsPlanned: 5 }))).toMatch(
    / Interrupted: 1 of 5 trials, kept as partial\.$/,
  );
});

test('the document has verdict, code and each cell with its percentiles', () => {
  const document = outcomeDocument(outcome([valid])) as { cells: { responseNs: { p50: number } }[] };
  expect(document).toMatchObject({
    schema: 1,
    verdict: 'valid',
    exitCode: 0,
    partial: false,
    trials: { planned: 1, done: 1 },
  });
  expect(document.cells[0]?.responseNs.p50).toBeGreaterThan(0);
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});
