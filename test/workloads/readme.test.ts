import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogue } from '../../workloads/catalogue.ts';
import { workloads } from '../../workloads/registry.ts';

const readme = new URL('../../workloads/README.md', import.meta.url);

test('workloads/README.md is what the registry says; `npm run docs` writes it', () => {
  const text = catalogue(workloads);
  if (process.env['REWRITE'] === '1') writeFileSync(readme, text);
  expect(readFileSync(readme, 'utf8')).toBe(text);
});
