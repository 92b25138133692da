import { expect, test } from 'vitest';
import { parseTarget } from '../../../runners/targets/registry.ts';

test.each([
  'engine',
  'engine?dedup=map&sync=none',
  'inproc',
  'inproc?profile=nats',
  'nats://127.0.0.1:4222',
  'nats://a,b:4223',
  `nats-server:${process.execPath}`,
  'scripted:lose@10',
])('%s is a target', (spec) => {
  expect(parseTarget(spec).spec).toBe(spec);
});

test.each([
  ['enigne', 'target "enigne" is of no known kind'],
  ['enigne', 'did you mean "engine"?'],
  ['nats-sever:/x', 'did you mean "nats-server:PATH"?'],
  ['nats:127.0.0.1:4222', 'did you mean "nats://HOST[:PORT][,...]"?'],
  ['engine:3', 'unknown option "3"'],
  ['engine?dedop=map', 'unknown option "dedop"'],
  ['engine?dedup=maps', 'dedup is "maps", none of map, compact'],
  ['scripted:lose', 'target "scripted:lose": fault "lose": write FAULT@N'],
  ['', 'is of no known kind'],
])('%s is refused', (spec, sentence) => {
  expect(() => parseTarget(spec)).toThrow(sentence);
});
