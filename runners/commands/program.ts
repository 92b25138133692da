import { Command, CommanderError } from 'commander';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { toolVersion } from '../tool-version.ts';
import { doctorCommand } from './doctor.ts';
import { applyEnvironment } from './flags.ts';
import { benchCommand } from './bench.ts';
import { reportCommand } from './report.ts';
import { runCommand } from './run.ts';
import { schemaCommand } from './schema.ts';
import { serveCommand } from './serve.ts';
import { normaliseServeArguments } from './serve-arguments.ts';

const footer = `
Start with:
  oncemark run                     the built-in plan on the embedded engine, about a minute
  oncemark COMMAND --help          flags and examples

Every flag can also be set as ONCEMARK_FLAG (ONCEMARK_REPEATS=3) and, for run, in the plan file:
flag before environment before file before default.`;

/** Carries out one command line (without node and script) and gives the exit code. Throws UsageError and crashes of ours. */
export async function runProgram(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const program = buildProgram(environment, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argumentsFor(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage; // commander has printed its sentence
  }
}

/** The commands; each tells its exit code to `setExitCode`. */
function buildProgram(environment: NodeJS.ProcessEnv, setExitCode: (code: ExitCode) => void): Command {
  const program = new Command('oncemark')
    .description('What exactly-once costs on NATS JetStream, and whether it holds.')
    .version(toolVersion(), '--version', 'print the version')
    .helpCommand('help [COMMAND]', 'help of a command')
    .addHelpText('after', footer)
    .hook('preAction', (_, command) => applyEnvironment(command, environment))
    .exitOverride();
  const commands = [runCommand(setExitCode), reportCommand(setExitCode), serveCommand(setExitCode)];
  for (const command of [
    ...commands,
    benchCommand(setExitCode),
    doctorCommand(setExitCode),
    schemaCommand(),
  ]) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  return program;
}

function argumentsFor(args: readonly string[]): string[] {
  const [name, ...rest] = args;
  return name === 'serve' ? ['serve', ...normaliseServeArguments(rest)] : [...args];
}
