import { expect, it } from 'vitest';

import { apiError, isDefiniteFailure } from '../../../engine/base/api-errors.ts';

it('has the texts that clients compare (spec 2.1)', () => {
  expect(apiError(10059)).toEqual({ status: 404, text: 'stream not found' });
  expect(apiError(10014)).toEqual({ status: 404, text: 'consumer not found' });
  expect(apiError(10077, 'maximum messages exceeded')).toEqual({
    status: 503,
    text: 'maximum messages exceeded',
  });
  expect(apiError(10071, '7').text).toBe('wrong last sequence: 7');
});

it('puts the detail in as it is, dollar signs included', () => {
  expect(apiError(10070, "$&$'").text).toBe("wrong last msg ID: $&$'");
});

it('calls every refusal definite but the two that do not know', () => {
  expect([10008, 10158].map(isDefiniteFailure)).toEqual([false, false]);
  expect([10060, 10070, 10071, 10077, 10023].map(isDefiniteFailure)).toEqual([true, true, true, true, true]);
});
