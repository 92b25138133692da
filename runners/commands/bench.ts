import { Command } from 'commander';
import { formatCount, formatDuration, formatRate } from '../../results/format.ts';
import { mergeHistograms, quantile } from '../../results/histogram.ts';
import type { Run } from '../../results/run.ts';
import { sideBySide, type SideBySide, type SideRates } from '../../results/side-by-side.ts';
import { spreadOf, type Spread } from '../../results/stats/sample.ts';
import { summarise } from '../../results/summary.ts';
import { workloads } from '../../workloads/registry.ts';
import { benchPlan } from '../bench-plan.ts';
import { readEnvironment } from '../environment.ts';
import type { ExitCode } from '../exit-codes.ts';
import { resolvePlan } from '../plan-resolve.ts';
import { runProgress } from '../progress.ts';
import { parseTarget } from '../targets/registry.ts';
import { type Console, processConsole } from './console.ts';
import { countOption, givenOptions } from './flags.ts';
import { watchInterrupts } from './interrupts.ts';
import { newRunId, outputFiles } from './run-files.ts';
import { carryOut } from './run-session.ts';

const examples = `
Examples:
  oncemark bench                                            the engine alone
  oncemark bench --against nats-server:/usr/sbin/nats-server --pairs 5
  oncemark bench --against nats://127.0.0.1:4222 --json

Both targets do the same work in turn (A B B A) in one run; the ratio is taken pair by pair. Rates alone are this
machine's, today's, and beside whatever else was running.`;

interface BenchFlags {
  readonly against?: string;
  readonly pairs?: number;
  readonly out?: string;
  readonly json?: boolean;
}

const engine = 'engine';

/** `oncemark bench`. */
export function benchCommand(setExitCode: (code: ExitCode) => void): Command {
  return new Command('bench')
    .description('how fast the engine is, side by side with another target')
    .option('--against <spec>', 'the target to compare with')
    .addOption(countOption('--pairs <count>', 'times that each does each piece of work (default: 5)', 1, 100))
    .option('-o, --out <dir>', 'folder of results (default: oncemark-results/RUN)')
    .option('--json', 'one document on standard output')
    .addHelpText('after', examples)
    .action(async (_: unknown, command: Command) => {
      setExitCode(await bench(givenOptions<BenchFlags>(command)));
    });
}

async function bench(flags: BenchFlags): Promise<ExitCode> {
  const specs = flags.against === undefined ? [engine] : [engine, flags.against];
  const plan = benchPlan(specs, flags.pairs ?? 5);
  const trials = resolvePlan(plan, workloads);
  const targets = new Map(specs.map((spec) => [spec, parseTarget(spec)]));
  const output = processConsole({ json: flags.json ?? false, quiet: false });
  const runId = newRunId();
  const files = outputFiles(flags.out ?? `oncemark-results/${runId}`);
  const interrupts = watchInterrupts((name) => output.warn(`${name}: ending this trial`));
  const progress = runProgress({
    expectedNs: trials.map((trial) => trial.estimate.durationNs),
    isTerminal: process.stderr.isTTY && process.env['CI'] === undefined,
    writeLine: (line) => output.note(line),
  });
  const { runTrial } = await import('../trial.ts');
  const runs: Run[] = [];
  try {
    const environment = readEnvironment();
    const { signal } = interrupts;
    const resultsFile = files.results;
    await carryOut(
      { plan, trials, targets, environment, runId, resultsFile, signal, progress, runTrial },
      runs,
    );
  } finally {
    progress.stop();
    interrupts.dispose();
  }
  return tell(output, runs, specs, files.results, interrupts.exitCode());
}

function tell(
  output: Console,
  runs: readonly Run[],
  specs: readonly string[],
  resultsFile: string,
  interruptedCode: ExitCode | null,
): ExitCode {
  const summary = summarise(runs);
  const works = sideBySide(runs, specs[0] ?? engine, specs[1] ?? engine);
  const generator = generatorFigures(runs);
  for (const work of works) {
    for (const line of workLines(work, specs.length > 1)) output.print(line);
  }
  output.print(`generator  ${generatorLine(generator)}`);
  output.print(`results    ${resultsFile}`);
  output.print(`verdict: ${summary.verdict} - ${summary.sentence}`);
  const exitCode = interruptedCode ?? summary.exitCode;
  output.document({ schema: 1, works, generator, verdict: summary.verdict, exitCode, results: resultsFile });
  return exitCode;
}

function workLines({ workload, left, right, ratios }: SideBySide, isPaired: boolean): string[] {
  const lines = [`${workload}  ${sideText(left)}`];
  if (!isPaired) return lines;
  const ratio = spreadOf(ratios);
  return [
    ...lines,
    `${workload}  ${sideText(right)}`,
    `${workload}  ratio ${spreadText(ratio, (value) => `${value.toFixed(2)} x`)}`,
  ];
}

function sideText({ target, perSecond, lost, leakedInWindow }: SideRates): string {
  const rates = spreadText(spreadOf(perSecond), formatRate);
  return `${target}: ${rates}, ${formatCount(lost)} lost, ${formatCount(leakedInWindow)} stored twice`;
}

function spreadText(spread: Spread | null, format: (value: number) => string): string {
  if (spread === null) return 'no valid trial';
  const { median, min, max, count } = spread;
  return `${format(median)} (${format(min)} to ${format(max)}, n = ${count})`;
}

interface GeneratorFigures {
  /** Processor time of the publishing thread for one message, over the closed-loop trials. */
  readonly cpuNsPerMessage: Spread | null;
  /** Lateness at p99 in the open-loop trials, all samples together. */
  readonly latenessNsP99: number | null;
}

function generatorFigures(runs: readonly Run[]): GeneratorFigures {
  const publishing = runs.filter(({ workload }) => workload.name === 'publish');
  const closed = publishing.filter(({ workload }) => workload.parameters['loop'] === 'closed');
  const open = publishing.filter(({ workload }) => workload.parameters['loop'] === 'open');
  const costs = closed.map(({ generator }) => generator.cpuNsPerMessage).filter((cost) => cost !== null);
  const lateness = open.flatMap(({ phases }) =>
    phases.filter(({ name }) => name === 'measure').map(({ histograms }) => histograms.lateness),
  );
  const merged = mergeHistograms(lateness.filter((histogram) => histogram !== null));
  return { cpuNsPerMessage: spreadOf(costs), latenessNsP99: quantile(merged, 0.99) };
}

function generatorLine({ cpuNsPerMessage, latenessNsP99 }: GeneratorFigures): string {
  const cost = spreadText(cpuNsPerMessage, formatDuration);
  return `${cost} of processor time a publish; at 20 k/s sends are ${formatDuration(latenessNsP99)} late at p99`;
}
