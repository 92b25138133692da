import { Command } from 'commander';
import { formatBinaryBytes, formatDuration, formatNumber } from '../../results/format.ts';
import type { Environment } from '../../results/run.ts';
import { readEnvironment } from '../environment.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { judgeMachine, type MachineFigures, type MachineFinding, measureMachine } from '../machine-check.ts';
import { processConsole } from './console.ts';
import { givenOptions } from './flags.ts';

const examples = `
Examples:
  oncemark doctor          environment, clock, pacer, and what will spoil results
  oncemark doctor --json

Exit codes: 0 fit or fit with care, 6 unfit.`;

/** `oncemark doctor`. */
export function doctorCommand(setExitCode: (code: ExitCode) => void): Command {
  return new Command('doctor')
    .description('is this machine fit to measure on')
    .option('--json', 'one document on standard output')
    .addHelpText('after', examples)
    .action(async (_: unknown, command: Command) => {
      const { json = false } = givenOptions<{ json?: boolean }>(command);
      setExitCode(await doctor(json));
    });
}

async function doctor(json: boolean): Promise<ExitCode> {
  const output = processConsole({ json, quiet: false });
  const environment = readEnvironment();
  const figures = await measureMachine();
  const findings = judgeMachine(environment, figures);
  const verdict = verdictOf(findings);
  for (const line of figureLines(environment, figures)) output.print(line);
  for (const finding of findings) output.print(`${finding.severity.padEnd(9)}${finding.message}`);
  output.print(`verdict: ${verdict}${findings.length === 0 ? '' : ` - ${findings.length} to look at`}`);
  output.document({ schema: 1, verdict, environment, figures, findings });
  return verdict === 'unfit' ? exitCodes.invalid : exitCodes.ok;
}

function verdictOf(findings: readonly MachineFinding[]): 'fit' | 'fit with care' | 'unfit' {
  if (findings.some((finding) => finding.severity === 'unfit')) return 'unfit';
  return findings.length === 0 ? 'fit' : 'fit with care';
}

function figureLines(environment: Environment, figures: MachineFigures): string[] {
  const { cpuModel, coreCount, memoryBytes, platform, kernel, nodeVersion, build, governor } = environment;
  const rows: [string, string][] = [
    ['machine', `${cpuModel}, ${coreCount} cores; one trial keeps 2 threads busy (generator, server)`],
    ['memory', `${formatBinaryBytes(memoryBytes)}, ${formatBinaryBytes(figures.freeMemoryBytes)} free`],
    ['system', `${platform}, kernel ${kernel}, governor ${governor ?? 'not told'}`],
    ['node', `${nodeVersion}, ${build === 'dist' ? 'built' : 'from source'}`],
    ['load', `${environment.loadAverage.toFixed(2)} over the last minute`],
    ['clock', `${formatNumber(figures.clockNs)} ns a reading`],
    ...figures.pacer.map((pacer): [string, string] => [
      'pacer',
      `at ${pacer.ratePerSecond}/s late by p50 ${formatDuration(pacer.p50Ns)}, ` +
        `p99 ${formatDuration(pacer.p99Ns)}, max ${formatDuration(pacer.maxNs)}`,
    ]),
    ['digest', `environment ${environment.id}`],
  ];
  return rows.map(([name, text]) => `${name.padEnd(9)}${text}`);
}
