import { expect, test } from 'vitest';
import { nearestWord } from '../../runners/nearest-word.ts';

test('a near word is suggested, a far one is not', () => {
  expect(nearestWord('windw', ['rate', 'window'])).toBe('window');
  expect(nearestWord('REPEATS', ['repeats'])).toBe('repeats');
  expect(nearestWord('pub', ['publish', 'consume'])).toBe('publish');
  expect(nearestWord('colour', ['rate', 'window'])).toBeNull();
  expect(nearestWord('rate', [])).toBeNull();
});
