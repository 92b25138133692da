#!/usr/bin/env node
import { inspect } from 'node:util';
import { runProgram } from './commands/program.ts';
import { exitCodes } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

// A reader that went away (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  process.exitCode = await runProgram(process.argv.slice(2), process.env);
} catch (error) {
  const isOurs = !(error instanceof UsageError);
  process.stderr.write(isOurs ? `crash: ${inspect(error)}\n` : `error: ${error.message}\n`);
  process.exitCode = isOurs ? exitCodes.crash : exitCodes.usage;
}
