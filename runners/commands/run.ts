import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { formatBinaryBytes, formatDuration } from '../../results/format.ts';
import type { Run } from '../../results/run.ts';
import { summarise } from '../../results/summary.ts';
import { workloads } from '../../workloads/registry.ts';
import { defaultPlan } from '../default-plan.ts';
import { readEnvironment } from '../environment.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { resolvePlan, type ResolvedTrial } from '../plan-resolve.ts';
import { parsePlan, type Plan } from '../plan.ts';
import { runProgress } from '../progress.ts';
import { parseTarget, targetKinds } from '../targets/registry.ts';
import type { Target } from '../targets/target.ts';
import { formatCount } from '../units.ts';
import { UsageError } from '../usage-error.ts';
import { type Console, processConsole } from './console.ts';
import { countOption, givenOptions, listOption } from './flags.ts';
import { watchInterrupts } from './interrupts.ts';
import { planEstimate, runHead } from './run-head.ts';
import { type Outcome, outcomeDocument, outcomeExitCode, outcomeLines } from './run-outcome.ts';
import { newRunId, outputFiles } from './run-files.ts';
import { carryOut } from './run-session.ts';
import { type RunFlags, runSettings, type RunSettings } from './run-settings.ts';

const examples = `
Examples:
  oncemark run                                          the built-in plan on the embedded engine, about a minute
  oncemark run plan.yaml --target engine --target nats-server:/usr/sbin/nats-server
  oncemark run --workload publish --set rate=1k/s..64k/s:x2 --set window=10s,2m --repeats 3
  oncemark run --workload consume --target nats://127.0.0.1:4222 --dry-run

Targets:
${targetLines()}

Units are written always: 10k/s, 250ms, 1m30s, 128B, 64MiB, 10%.
Exit codes: 0 valid, 2 usage, 4 exactly-once was broken, 6 invalid or unknown, 130/143 interrupted (what is done is kept).`;

function targetLines(): string {
  return Object.values(targetKinds)
    .map(({ form, doc }) => `  ${form.padEnd(29)}${doc}`)
    .join('\n');
}

/** `oncemark run`. */
export function runCommand(setExitCode: (code: ExitCode) => void): Command {
  return new Command('run')
    .description('load targets by a plan, account for every message, write results and a report')
    .argument('[PLAN]', 'plan file, YAML or JSON; without it the built-in plan')
    .addOption(listOption('-t, --target <spec>', 'what is loaded'))
    .addOption(listOption('-w, --workload <name>', 'only this workload'))
    .addOption(listOption('--set <name=value>', 'set a parameter; a list or range sweeps it'))
    .addOption(countOption('-r, --repeats <count>', 'trials of each cell', 1, 1000))
    .option('--seed <text>', 'everything drawn by chance follows from it')
    .addOption(new Option('--client <kind>', 'who speaks to the target').choices(['wire', 'nats.js']))
    .addOption(countOption('--workers <count>', 'load-generating threads', 1, 64))
    .addOption(new Option('--order <kind>', 'order of the trials').choices(['interleaved', 'sequential']))
    .option('--smoke', 'the smallest values of each workload, for a quick look')
    .option('--name <text>', 'name of the plan in head and report')
    .option('-o, --out <dir>', 'folder of results and report (default: oncemark-results/RUN)')
    .option('--dry-run', 'print the resolved plan with its time and memory, run nothing')
    .option('--json', 'one document on standard output')
    .option('-q, --quiet', 'no head and no progress')
    .option('--no-progress', 'no progress')
    .addHelpText('after', examples)
    .action(async (planFile: string | undefined, _: unknown, command: Command) => {
      setExitCode(await run(planFile, givenOptions<RunFlags>(command)));
    });
}

async function run(planFile: string | undefined, flags: RunFlags): Promise<ExitCode> {
  const plan = planFile === undefined ? null : readPlan(planFile);
  const settings = runSettings(flags, plan, workloads);
  const trials = resolvePlan(settings.plan, workloads);
  const targets = new Map(settings.plan.targets.map((spec) => [spec, parseTarget(spec)]));
  const output = processConsole(settings);
  if (settings.dryRun) return dryRun(settings, trials, output);
  return carryOutAndTell(settings, trials, targets, output);
}

function readPlan(file: string): Plan {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`plan "${file}" cannot be read: ${reason}`, { cause: error });
  }
  return parsePlan(text, file);
}

async function carryOutAndTell(
  settings: RunSettings,
  trials: readonly ResolvedTrial[],
  targets: ReadonlyMap<string, Target>,
  output: Console,
): Promise<ExitCode> {
  const environment = readEnvironment();
  const runId = newRunId();
  const folder = settings.out ?? join('oncemark-results', runId);
  const files = outputFiles(folder);
  const isHeadAside = settings.json || settings.quiet;
  for (const line of runHead(settings.plan, trials, environment)) {
    if (isHeadAside) output.note(line);
    else output.print(line);
  }
  const interrupts = watchInterrupts((name) => {
    output.warn(`${name}: ending this trial; what is done is kept. Once more quits at once.`);
  });
  const progress = runProgress({
    expectedNs: trials.map((trial) => trial.estimate.durationNs),
    isTerminal:
      settings.progress && !settings.quiet && process.stderr.isTTY && process.env['CI'] === undefined,
    writeLine: (line) => {
      if (settings.progress) output.note(line);
    },
  });
  // Loaded here, so that no other command waits for charts and workers.
  const [{ runTrial }, { renderReport }] = await Promise.all([
    import('../trial.ts'),
    import('../../dashboards/report.ts'),
  ]);
  const runs: Run[] = [];
  const resultsFile = files.results;
  const { plan } = settings;
  const { signal } = interrupts;
  try {
    await carryOut(
      { plan, trials, targets, environment, runId, resultsFile, signal, progress, runTrial },
      runs,
    );
  } finally {
    progress.stop();
    interrupts.dispose();
    const title = plan.name === defaultPlan.name ? {} : { title: plan.name };
    writeFileSync(
      files.report,
      await renderReport(runs, { ...title, generatedAt: new Date().toISOString() }),
    );
  }
  return tell(output, {
    summary: summarise(runs),
    runId,
    interruptedCode: interrupts.exitCode(),
    trialsPlanned: trials.length,
    resultsFile,
    reportFile: files.report,
  });
}

function tell(output: Console, outcome: Outcome): ExitCode {
  for (const line of outcomeLines(outcome)) output.print(line);
  output.document(outcomeDocument(outcome));
  return outcomeExitCode(outcome);
}

function dryRun(settings: RunSettings, trials: readonly ResolvedTrial[], output: Console): ExitCode {
  const environment = readEnvironment();
  const estimate = planEstimate(trials);
  for (const line of runHead(settings.plan, trials, environment)) output.print(line);
  output.print('');
  for (const trial of trials) output.print(trialLine(trial));
  output.document({
    schema: 1,
    plan: settings.plan,
    estimate,
    trials: trials.map((trial) => ({ ...trial, workload: trial.workload.name })),
  });
  return exitCodes.ok;
}

function trialLine(trial: ResolvedTrial): string {
  const swept = new Set(trial.swept);
  const names = Object.keys(trial.parameters).toSorted(
    (left, right) => Number(swept.has(right)) - Number(swept.has(left)),
  );
  const texts = names.map((name) => `${name}=${trial.parameters[name] ?? ''}`);
  const { durationNs, memoryBytes } = trial.estimate;
  const size = `${formatDuration(Math.round(durationNs / 1e8) * 1e8)}, ${formatBinaryBytes(memoryBytes)}`;
  const place = `[${formatCount(trial.trial + 1)}] ${trial.workload.name} on ${trial.target}, repeat ${trial.repeat + 1}`;
  return `${place} (${size}): ${texts.join(' ')}`;
}
