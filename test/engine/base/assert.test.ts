import { expect, it } from 'vitest';

import { assert, AssertionError, unreachable } from '../../../engine/base/assert.ts';

it('throws what it was told, and only then', () => {
  expect(() => assert(true, 'fine')).not.toThrow();
  expect(() => assert(false, 'a count is positive')).toThrow(AssertionError);
  expect(() => assert(false, 'a count is positive')).toThrow('a count is positive');
});

it('names the value that should not be', () => {
  expect(() => unreachable('x' as never)).toThrow('unreachable: x');
});
