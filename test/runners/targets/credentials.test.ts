import { expect, test } from 'vitest';
import { splitCredentials, withoutPassword } from '../../../runners/targets/credentials.ts';

test('credentials are taken out of an address', () => {
  expect(splitCredentials('nats://127.0.0.1:4222')).toEqual({ server: 'nats://127.0.0.1:4222' });
  expect(splitCredentials('nats://me:p%40ss@h:1')).toEqual({
    server: 'nats://h:1',
    user: 'me',
    pass: 'p@ss',
  });
  expect(splitCredentials('nats://secret@h:1')).toEqual({ server: 'nats://h:1', token: 'secret' });
});

test('what is recorded holds no password and no token', () => {
  expect(withoutPassword('nats://me:secret@h:1,g:2')).toBe('nats://me:***@h:1,g:2');
  expect(withoutPassword('--target=nats://secret@h:1')).toBe('--target=nats://***@h:1');
  expect(withoutPassword('nats://h:1')).toBe('nats://h:1');
  expect(withoutPassword('engine')).toBe('engine');
});
