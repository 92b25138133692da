import { expect, it } from 'vitest';
import { runJsonSchema } from '../../results/json-schema.ts';
import { buildRun } from '../support/runs.ts';

interface ObjectSchema {
  readonly title?: string;
  readonly properties: Record<
    string,
    { const?: unknown; enum?: unknown[]; properties?: Record<string, unknown> }
  >;
  readonly required: string[];
  readonly additionalProperties: unknown;
}

it('publishes the record as JSON Schema', () => {
  const schema = runJsonSchema() as unknown as ObjectSchema;
  expect(schema.title).toBe('oncemark run record');
  expect(schema.additionalProperties).toBe(false);
  expect(schema.required.toSorted()).toEqual(Object.keys(buildRun()).toSorted());
  expect(schema.properties['schema']?.const).toBe(1);
  expect(schema.properties['verdict']?.enum).toEqual(['valid', 'violation', 'invalid', 'unknown']);
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
});
