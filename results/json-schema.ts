import { z } from 'zod';
import { runSchema } from './run.ts';

/** JSON Schema (draft 2020-12) of one line of a results file. */
export function runJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(runSchema), title: 'oncemark run record' };
}
