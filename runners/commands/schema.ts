import { Argument, Command } from 'commander';
import { runJsonSchema } from '../../results/json-schema.ts';
import { planJsonSchema } from '../plan.ts';

const examples = `
Examples:
  oncemark schema            JSON Schema of one line of a results file
  oncemark schema plan       JSON Schema of a plan file`;

const schemas = { run: runJsonSchema, plan: planJsonSchema } as const;

/** `oncemark schema`. Always prints one JSON document. */
export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the JSON Schema of results or plans')
    .addArgument(new Argument('[WHAT]', 'which format').choices(['run', 'plan']).default('run'))
    .addHelpText('after', examples)
    .action((what: 'run' | 'plan') => {
      process.stdout.write(`${JSON.stringify(schemas[what](), null, 2)}\n`);
    });
}
