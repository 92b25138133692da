// A plan as a file: YAML or JSON, schema 1. Unknown keys are refused, so that a misspelt one is not a default.

import { isMap, parseDocument } from 'yaml';
import { z } from 'zod';
import { nearestWord } from './nearest-word.ts';
import { UsageError, withSuggestion } from './usage-error.ts';

const written = z.union([z.string(), z.number()]);

const plannedTrialSchema = z.strictObject({
  workload: z.string().describe('Name of a workload; see workloads/README.md.'),
  parameters: z
    .record(z.string(), z.union([written, z.array(written)]))
    .default({})
    .describe('A value, a list, or a range such as 1k/s..64k/s:x2. Lists and ranges are swept.'),
});

const planSchema = z.strictObject({
  schema: z.literal(1).describe('Version of this format.'),
  name: z.string().optional(),
  seed: written.optional().describe('Everything drawn by chance follows from it.'),
  repeats: z.int().min(1).max(1000).optional().describe('How often each cell is run.'),
  client: z.enum(['wire', 'nats.js']).optional().describe('Who speaks to the target.'),
  workers: z.int().min(1).max(64).optional().describe('Load-generating threads.'),
  order: z.enum(['interleaved', 'sequential']).optional().describe('interleaved: A B B A over the repeats.'),
  targets: z.array(z.string()).min(1).optional(),
  smoke: z.boolean().optional().describe('Start from the smallest values of each workload.'),
  out: z.string().optional().describe('Folder of results and report.'),
  json: z.boolean().optional(),
  quiet: z.boolean().optional(),
  progress: z.boolean().optional(),
  trials: z.array(plannedTrialSchema).min(1),
});

/** A plan as it is written in a file; what is absent comes from flags, environment or defaults. */
export type Plan = z.infer<typeof planSchema>;
export type PlannedTrial = z.infer<typeof plannedTrialSchema>;

/** Reads a plan's text (YAML; JSON is YAML). Throws UsageError with place, value and rule. */
export function parsePlan(text: string, fileName: string): Plan {
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem !== undefined) throw new UsageError(`${fileName}: ${problem.message.split('\n')[0]}`);
  if (!isMap(document.contents)) {
    throw new UsageError(`${fileName}: a plan is a mapping with the keys schema and trials`);
  }
  return checkPlan(document.toJS() as unknown, fileName);
}

/** Checks a value against the schema. All problems are told at once, each with its path. */
function checkPlan(value: unknown, fileName: string): Plan {
  const checked = planSchema.safeParse(value);
  if (checked.success) return checked.data;
  const sentences = checked.error.issues.flatMap((issue) => issueSentences(issue, value));
  throw new UsageError(sentences.map((sentence) => `${fileName}: ${sentence}`).join('\n'));
}

/** JSON Schema of a plan. */
export function planJsonSchema(): object {
  return z.toJSONSchema(planSchema, { io: 'input' });
}

type Issue = z.core.$ZodIssue;

function issueSentences(issue: Issue, root: unknown): string[] {
  const path = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path);
    return issue.keys.map((key) => withSuggestion(`${path}: unknown key "${key}"`, nearestWord(key, known)));
  }
  const value = valueAt(root, issue.path);
  if (value === undefined) return [`${path} is missing (${ruleOf(issue)})`];
  return [`${path} is ${JSON.stringify(value)}: ${ruleOf(issue)}`];
}

function ruleOf(issue: Issue): string {
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}`;
  if (issue.code === 'invalid_union') return 'must be a text or number, or a list of them';
  return issue.message.replace(/^Invalid input: /, '').replace(/^Too/, 'too');
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  return Object.keys(path[0] === 'trials' ? plannedTrialSchema.shape : planSchema.shape);
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'plan';
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .slice(1);
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}
