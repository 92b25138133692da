import { Command, CommanderError } from 'commander';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { toolVersion } from '../tool-version.ts';
import { applyEnvironment } from './flags.ts';
import { normaliseServeArguments } from './serve-arguments.ts';

type SetExitCode = (code: ExitCode) => void;

// Each command is loaded when it is asked for: a server should not carry the plans, charts and statistics of a run
// through every garbage collection.
const commands: Readonly<Record<string, (setExitCode: SetExitCode) => Promise<Command>>> = {
  run: async (setExitCode) => (await import('./run.ts')).runCommand(setExitCode),
  report: async (setExitCode) => (await import('./report.ts')).reportCommand(setExitCode),
  serve: async (setExitCode) => (await import('./serve.ts')).serveCommand(setExitCode),
  bench: async (setExitCode) => (await import('./bench.ts')).benchCommand(setExitCode),
  doctor: async (setExitCode) => (await import('./doctor.ts')).doctorCommand(setExitCode),
  schema: async () => (await import('./schema.ts')).schemaCommand(),
};

const footer = `
Start with:
  oncemark run                     the built-in plan on the embedded engine, about a minute
  oncemark COMMAND --help          flags and examples

Every flag can also be set as ONCEMARK_FLAG (ONCEMARK_REPEATS=3) and, for run, in the plan file:
flag before environment before file before default.`;

/** Carries out one command line (without node and script) and gives the exit code. Throws UsageError and crashes of ours. */
export async function runProgram(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const program = await buildProgram(args[0] ?? '', environment, (code) => {
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

/** The program with the command that is called, or with all of them when none is (help, a word it does not know). */
async function buildProgram(
  called: string,
  environment: NodeJS.ProcessEnv,
  setExitCode: SetExitCode,
): Promise<Command> {
  const program = new Command('oncemark')
    .description('What exactly-once costs on NATS JetStream, and whether it holds.')
    .version(toolVersion(), '--version', 'print the version')
    .helpCommand('help [COMMAND]', 'help of a command')
    .addHelpText('after', footer)
    .hook('preAction', (_, command) => applyEnvironment(command, environment))
    .exitOverride();
  const names = Object.hasOwn(commands, called) ? [called] : Object.keys(commands);
  for (const name of names) {
    const command = await commands[name]?.(setExitCode);
    if (command !== undefined) program.addCommand(command.copyInheritedSettings(program));
  }
  return program;
}

function argumentsFor(args: readonly string[]): string[] {
  const [name, ...rest] = args;
  return name === 'serve' ? ['serve', ...normaliseServeArguments(rest)] : [...args];
}
