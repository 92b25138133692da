import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { formatDuration, parseDurationNs, parseFieldValue, splitWords } from './golden-values.ts';
import {
  canRun,
  expectedLines,
  formatScript,
  parseScript,
  rewriteBlock,
  runScript,
  transcript,
} from './golden.ts';

const text = `# A story.
needs restart

say one
say two
----
one
two

# Releases differ here.
say three
----
three
---- 2.9.10 2.10.27
drei
---- strict
tres
`;

describe('golden scripts', () => {
  it('are a story, commands and answers', async () => {
    const script = parseScript(text);
    const printed = await runScript(script, (command) => Promise.resolve([command.replace('say ', '')]));
    expect(printed).toEqual([['one', 'two'], ['three']]);
    expect(expectedLines(script.blocks[1]!, ['2.15.1'])).toEqual(['three']);
    expect(expectedLines(script.blocks[1]!, ['2.10.27'])).toEqual(['drei']);
    expect(expectedLines(script.blocks[1]!, ['nats', '2.9.10'])).toEqual(['drei']);
    expect(transcript(script, (_block, index) => printed[index] ?? [])).toBe(
      transcript(script, (block) => expectedLines(block, [])),
    );
  });

  it('run only where all that they need is there', () => {
    const script = parseScript(text);
    expect(script.needs).toEqual(['restart']);
    expect(canRun(script.needs, new Set())).toBe(false);
    expect(canRun(script.needs, new Set(['restart']))).toBe(true);
  });

  it('must open with a story, and end commands with a rule', () => {
    expect(() => parseScript('say one\n----\none\n')).toThrow('line 1: a golden script opens with its story');
    expect(() => parseScript('# Story.\n\nsay one\none\n')).toThrow(
      'line 3: commands without ---- below them',
    );
  });

  it('read the same after they were written', () => {
    const directory = fileURLToPath(new URL('../golden/', import.meta.url));
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.txt'),
    );
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const own = readFileSync(join(directory, name), 'utf8');
      expect(formatScript(parseScript(own))).toBe(own);
    }
    expect(formatScript(parseScript(text))).toBe(text);
  });
});

describe('rewriting', () => {
  const block = parseScript(text).blocks[1]!;
  const answers = (labels: readonly string[], lines: readonly string[]): object => ({ labels, lines });

  it('gives the primary target the answers without a label', () => {
    expect(rewriteBlock(block, '2.15.1', true, ['trois']).answers[0]).toEqual(answers([], ['trois']));
    expect(rewriteBlock(block, '2.15.1', true, ['tres']).answers).toEqual([
      answers([], ['tres']),
      answers(['2.9.10', '2.10.27'], ['drei']),
    ]);
  });

  it('takes a label away where its target answers as all others', () => {
    expect(rewriteBlock(block, '2.9.10', false, ['three']).answers[1]).toEqual(
      answers(['2.10.27'], ['drei']),
    );
    expect(rewriteBlock(block, 'strict', false, ['three']).answers).toEqual(block.answers.slice(0, 2));
  });

  it('joins a label to equal answers, or gives it its own', () => {
    expect(rewriteBlock(block, 'strict', false, ['drei']).answers[1]).toEqual(
      answers(['2.9.10', '2.10.27', 'strict'], ['drei']),
    );
    expect(rewriteBlock(block, '2.10.27', false, ['san']).answers.at(-1)).toEqual(
      answers(['2.10.27'], ['san']),
    );
  });
});

describe('values', () => {
  it('are durations with units', () => {
    expect(['1.5s', '100ms', '-1s', '2m', '0'].map(parseDurationNs)).toEqual([1.5e9, 1e8, -1e9, 120e9, 0]);
    expect([1.5e9, 120e9, 0, 1].map(formatDuration)).toEqual(['1500ms', '2m', '0', '1ns']);
    expect(() => parseDurationNs('5')).toThrow('a duration has a unit');
  });

  it('are what the field is made of', () => {
    expect(parseFieldValue('backoff', '1s,5s')).toEqual([1e9, 5e9]);
    expect(parseFieldValue('subjects', 't.a')).toEqual(['t.a']);
    expect(parseFieldValue('max_msgs', '-1')).toBe(-1);
    expect(parseFieldValue('no_ack', 'true')).toBe(true);
    expect(parseFieldValue('retention', 'limits')).toBe('limits');
  });

  it('stand in quotes when they hold spaces', () => {
    const words = splitWords('pub t.a "a \\"b\\" c" id=1 header:Foo="x y" no_wait');
    expect(words.plain).toEqual(['t.a', 'no_wait']);
    expect(words.quoted).toBe('a "b" c');
    expect([...words.named]).toEqual([
      ['id', '1'],
      ['header:Foo', 'x y'],
    ]);
  });
});
