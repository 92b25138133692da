import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { plural } from '../../results/format.ts';
import type { Run } from '../../results/run.ts';
import { readRuns } from '../../results/store.ts';
import { summarise } from '../../results/summary.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';
import { processConsole } from './console.ts';
import { givenOptions } from './flags.ts';

const examples = `
Examples:
  oncemark report oncemark-results/20260102-150405-ab12 -o report.html
  oncemark report before.ndjson after.ndjson -o both.html --title "2.10.27 and 2.15.1"

RESULTS are files of run records, folders that hold results.ndjson, or earlier reports.
The exit code says whether the report was written; the verdict line says what is in it.`;

interface ReportFlags {
  readonly output?: string;
  readonly title?: string;
  readonly json?: boolean;
}

/** `oncemark report`. */
export function reportCommand(setExitCode: (code: ExitCode) => void): Command {
  return new Command('report')
    .description('make one self-contained HTML file of results')
    .argument('<RESULTS...>', 'results files or folders')
    .option('-o, --output <file>', 'the HTML file (default: report.html)')
    .option('--title <text>', 'title of the page')
    .option('--json', 'one document on standard output')
    .addHelpText('after', examples)
    .action(async (sources: string[], _: unknown, command: Command) => {
      setExitCode(await report(sources, givenOptions<ReportFlags>(command)));
    });
}

async function report(sources: readonly string[], flags: ReportFlags): Promise<ExitCode> {
  const output = processConsole({ json: flags.json ?? false, quiet: false });
  // Charts are large: other commands do without.
  const { renderReport, runsFromReport } = await import('../../dashboards/report.ts');
  const stored = sources.flatMap(resultFiles).map((file) => readFile(file, runsFromReport));
  const problems = stored.flatMap((one) => one.problems);
  const runs = stored.flatMap((one) => one.runs);
  for (const problem of problems) output.warn(`left out: ${problem}`);
  if (runs.length === 0) {
    output.warn(`${sources.join(', ')}: no usable record, so there is nothing to report`);
    return exitCodes.invalid;
  }
  const file = flags.output ?? 'report.html';
  const options = {
    generatedAt: new Date().toISOString(),
    ...(flags.title === undefined ? {} : { title: flags.title }),
  };
  writePage(file, await renderReport(runs, options));
  const summary = summarise(runs);
  output.print(`report   ${file} (${plural(runs.length, 'trial')})`);
  output.print(`verdict: ${summary.verdict} - ${summary.sentence}`);
  const { verdict, sentence } = summary;
  output.document({ schema: 1, report: file, trials: runs.length, verdict, sentence, problems });
  return exitCodes.ok;
}

/** A file, or the results of a folder: its own, else those of the runs below it. */
function resultFiles(source: string): string[] {
  const kind = statSync(source, { throwIfNoEntry: false });
  if (kind === undefined) throw new UsageError(`results "${source}": there is no such file or folder`);
  if (!kind.isDirectory()) return [source];
  const own = join(source, 'results.ndjson');
  if (statSync(own, { throwIfNoEntry: false }) !== undefined) return [own];
  const below = readdirSync(source)
    .toSorted()
    .map((name) => join(source, name, 'results.ndjson'))
    .filter((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);
  if (below.length === 0) throw new UsageError(`results "${source}": the folder holds no results.ndjson`);
  return below;
}

/** Records of a results file, or those that a report carries. */
function readFile(
  file: string,
  runsFromReport: (page: string) => Run[],
): { runs: Run[]; problems: string[] } {
  try {
    if (!file.endsWith('.html')) return readRuns(file);
    return { runs: runsFromReport(readFileSync(file, 'utf8')), problems: [] };
  } catch (error) {
    throw unusable('results', file, 'read', error);
  }
}

function writePage(file: string, page: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, page);
  } catch (error) {
    throw unusable('--output', file, 'written', error);
  }
}

function unusable(field: string, file: string, verb: string, error: unknown): UsageError {
  const reason = error instanceof Error ? error.message : String(error);
  return new UsageError(`${field} "${file}" cannot be ${verb}: ${reason}`, { cause: error });
}
