import { expect, test } from 'vitest';
import { parseFaults } from '../../../runners/targets/fault.ts';
import { scriptedTarget } from '../../../runners/targets/scripted.ts';
import { UsageError } from '../../../runners/usage-error.ts';

test('faults are written FAULT@N, separated by commas', () => {
  expect(parseFaults('lose@100,stall-500ms@20')).toEqual([
    { kind: 'lose', at: 100, durationMs: 0 },
    { kind: 'stall', at: 20, durationMs: 500 },
  ]);
  expect(parseFaults('')).toEqual([]);
});

test.each(['lose', 'lose@0', 'loose@1', 'stall@3', 'lose@1,', 'lose@1;reorder@2'])(
  '%j is refused',
  (text) => {
    expect(() => parseFaults(text)).toThrow(/write FAULT@N .* for example lose@100/);
  },
);

test('a wrong fault in a target is a usage error that names it', () => {
  expect(() => scriptedTarget('scripted:explode@1')).toThrow(UsageError);
  expect(() => scriptedTarget('scripted:explode@1')).toThrow(/"scripted:explode@1": fault "explode@1"/);
});
