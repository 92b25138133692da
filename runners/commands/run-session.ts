// Carries out resolved trials one after the other and stores each record as soon as it is there.

import { formatCount, formatDuration, formatRate } from '../../results/format.ts';
import { quantile } from '../../results/histogram.ts';
import type { Environment, Run } from '../../results/run.ts';
import { appendRun } from '../../results/store.ts';
import type { CompletePlan, ResolvedTrial } from '../plan-resolve.ts';
import type { Progress } from '../progress.ts';
import { withoutPassword } from '../targets/credentials.ts';
import type { Target } from '../targets/target.ts';
import type { runTrial } from '../trial.ts';
import { cellLabel, targetLabel, verdictText } from './run-table.ts';

export interface Session {
  readonly plan: CompletePlan;
  readonly trials: readonly ResolvedTrial[];
  readonly targets: ReadonlyMap<string, Target>;
  readonly environment: Environment;
  readonly runId: string;
  readonly resultsFile: string;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Passed in, so that a test can stand in for it. */
  readonly runTrial: typeof runTrial;
}

/**
 * Adds each record to `runs` as soon as it is stored, so that a crash keeps those before it. When `signal` aborts,
 * the trial that goes on is the last one, and partial.
 */
export async function carryOut(session: Session, runs: Run[]): Promise<void> {
  for (const trial of session.trials) {
    if (session.signal.aborted) break;
    const run = await carryOutOne(session, trial);
    appendRun(session.resultsFile, run);
    runs.push(run);
    session.progress.finish(finishedLine(run));
  }
}

async function carryOutOne(session: Session, trial: ResolvedTrial): Promise<Run> {
  const { plan, progress } = session;
  const target = session.targets.get(trial.target);
  if (target === undefined) throw new Error(`no target was parsed for ${trial.target}`);
  const swept = trial.swept.map((name) => `${name}=${trial.parameters[name] ?? ''}`);
  progress.start(trial.trial, [trial.workload.name, ...swept, 'on', target.spec].join(' '));
  const { workload, parameters, values, numbers, cell, repeat } = trial;
  return session.runTrial(
    {
      workload,
      parameters,
      values,
      numbers,
      swept: trial.swept,
      target,
      cell,
      repeat,
      trial: trial.trial,
      client: plan.client,
      workerCount: plan.workers,
      seed: `${plan.seed}/${repeat}`,
      runId: session.runId,
      command: commandLine(process.argv),
      environment: session.environment,
      signal: session.signal,
    },
    (step) => progress.update(step.fraction, `${step.phase} ${step.note}`),
  );
}

/** What was typed, without the machine's paths to node and to us, and without passwords. */
export function commandLine(argv: readonly string[]): string[] {
  return ['oncemark', ...argv.slice(2).map(withoutPassword)];
}

/** One line of a finished trial. */
export function finishedLine(run: Run): string {
  const measure = run.phases.find((phase) => phase.name === 'measure');
  const latency = measure?.histograms.response ?? measure?.histograms.endToEnd ?? null;
  const rate = run.rates.achievedPerSecond ?? run.rates.deliveredPerSecond;
  const { totals } = run.audit;
  const parts = [
    `${cellLabel(run.workload)} on ${targetLabel(run.target)}`,
    rate === null ? 'rate n/a' : formatRate(rate),
    `p99 ${formatDuration(quantile(latency, 0.99))}`,
    `${formatCount(run.totals.stored)} stored`,
    `${formatCount(run.totals.duplicate)} dup`,
    `${formatCount(totals.leakedInWindow + totals.leakedAfterWindow)} leaked`,
    `${formatCount(totals.lost)} lost`,
    `${formatCount(totals.redeliveries)} redelivered`,
    `${verdictText(run.verdict)}${run.partial ? ' (partial)' : ''}`,
  ];
  const reason = run.caveats.find((one) => one.severity === 'invalid');
  return reason === undefined ? parts.join('  ') : `${parts.join('  ')}: ${reason.message}`;
}
