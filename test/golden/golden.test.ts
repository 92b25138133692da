// Runs every golden script on every target there is. REWRITE=1 writes what the targets printed into the scripts.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { openEngine } from '../support/golden-engine.ts';
import { openNatsTarget } from '../support/golden-nats.ts';
import type { GoldenTarget } from '../support/golden-target.ts';
import { openVocabulary } from '../support/golden-vocabulary.ts';
import { canRun, expectedLines, formatScript, parseScript, rewriteBlock, runScript, transcript } from '../support/golden.ts';
import { natsServerPath, requireNatsServer } from '../support/real.ts';

const directory = fileURLToPath(new URL('.', import.meta.url));
const isRewriting = process.env['REWRITE'] === '1';

/** The release whose answers stand without a label. */
const primary = '2.15.1';

function scriptPaths(): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.txt')).sort();
}

async function check(path: string, target: GoldenTarget): Promise<void> {
  const script = parseScript(readFileSync(join(directory, path), 'utf8'));
  const vocabulary = await openVocabulary(target);
  const printed = await runScript(script, vocabulary.interpret);
  vocabulary.close();
  if (isRewriting) {
    const [label = ''] = target.labels;
    const blocks = script.blocks.map((block, index) => rewriteBlock(block, label, label === primary, printed[index] ?? []));
    writeFileSync(join(directory, path), formatScript({ ...script, blocks }));
    return;
  }
  const expected = transcript(script, (block) => expectedLines(block, target.labels));
  expect(transcript(script, (_block, index) => printed[index] ?? [])).toBe(expected);
}

const paths = scriptPaths();

for (const release of ['2.15.1', '2.10.27', '2.9.10'] as const) {
  describe.skipIf(!requireNatsServer(release))(`golden scripts on nats-server ${release}`, () => {
    it.concurrent.for(paths)('%s', { timeout: 60_000 }, async (path) => {
      const target = await openNatsTarget(natsServerPath(release) ?? '', release);
      try {
        await check(path, target);
      } finally {
        await target.close();
      }
    });
  });
}

for (const profile of ['strict', 'nats'] as const) {
  describe(`golden scripts on the engine, profile ${profile}`, () => {
    it.for(paths)('%s', async (path, { skip }) => {
      const target = await openEngine(profile);
      const { needs } = parseScript(readFileSync(join(directory, path), 'utf8'));
      skip(!canRun(needs, target.capabilities), `needs ${needs.join(', ')}`);
      await check(path, target);
      await target.close();
    });
  });
}
