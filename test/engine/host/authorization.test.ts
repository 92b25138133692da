import { describe, expect, test } from 'vitest';
import type { ConnectCredentials } from '../../../engine/host/authorization.ts';
import { authorize } from '../../../engine/host/authorization.ts';
import { parseConfig } from '../../../engine/host/config-file.ts';
import { OptionsError } from '../../../engine/host/option-reader.ts';
import type { ServerFlags } from '../../../engine/host/options.ts';
import { resolveOptions } from '../../../engine/host/options.ts';

function access(text: string, connect: ConnectCredentials, flags: ServerFlags = {}): string {
  const { allowed, user } = authorize(resolveOptions(flags, parseConfig(text)), connect);
  return allowed ? `in as ${user ?? 'anyone'}` : `out${user ?? ''}`;
}

const single = 'authorization { username: admin, password: "s3cret" }';
const token = 'authorization { token: "f00" }';
const users = 'authorization { users: [ { user: a, password: x }, { user: b, pass: y } ] }';

describe('authorize', () => {
  test('a user with the right password comes in under that name', () => {
    const options = resolveOptions({ user: 'derek', pass: 'foobar' }, null);
    expect(authorize(options, { user: 'derek', pass: 'foobar' })).toEqual({ allowed: true, user: 'derek' });
    expect(authorize(options, { user: 'derek', pass: 'fooba' })).toEqual({ allowed: false, user: null });
  });

  test.each<[string, ConnectCredentials, string]>([
    ['port: 4222', {}, 'in as anyone'],
    ['port: 4222', { user: 'x', pass: 'y' }, 'in as anyone'],
    [single, { user: 'admin', pass: 's3cret' }, 'in as admin'],
    [single, { user: 'admin' }, 'out'],
    [single, { user: 'admin', pass: '' }, 'out'],
    [single, { user: 'nobody', pass: 's3cret' }, 'out'],
    [single, { user: 'nobody', pass: '' }, 'out'],
    [single, { pass: 's3cret' }, 'out'],
    [single, {}, 'out'],
    [single, { auth_token: 's3cret' }, 'out'],
    [token, { auth_token: 'f00' }, 'in as anyone'],
    [token, { auth_token: 'f0' }, 'out'],
    [token, { user: 'f00' }, 'out'],
    [token, {}, 'out'],
    [users, { user: 'b', pass: 'y' }, 'in as b'],
    [users, { user: 'b', pass: 'x' }, 'out'],
    [`${users}\nno_auth_user: a`, {}, 'in as a'],
    [`${users}\nno_auth_user: a`, { user: '', pass: '', auth_token: '' }, 'in as a'],
    [`${users}\nno_auth_user: a`, { user: 'a', pass: 'wrong' }, 'out'],
    [`${users}\nno_auth_user: a`, { auth_token: 'any' }, 'out'],
  ])('%s for %o: %s', (text, connect, expected) => {
    expect(access(text, connect)).toBe(expected);
  });

  test('flags replace the block of the file', () => {
    expect(access(single, { user: 'admin', pass: 's3cret' }, { auth: 'tt' })).toBe('out');
    expect(access(single, { auth_token: 'tt' }, { auth: 'tt' })).toBe('in as anyone');
  });

  test('CONNECT must come within the timeout, 2 s unless said', () => {
    const timeoutNs = (text: string) => resolveOptions({}, parseConfig(text)).authorization?.timeoutNs;
    expect(timeoutNs(token)).toBe(2e9);
    expect(timeoutNs('authorization { token: t, timeout: 0.5 }')).toBe(0.5e9);
    expect(timeoutNs('authorization { token: t, timeout: "3s" }')).toBe(3e9);
  });

  test.each([
    ['authorization {}', 'authorization = {…}: must have one of'],
    ['authorization { token: t, user: a, password: b }', 'must have one of'],
    ['authorization { users: [] }', 'must have one of'],
    ['authorization { user: a }', 'authorization.password = null: user and password belong together'],
    ['authorization { password: a }', 'authorization.user = null'],
    ['authorization { user: a, password: 12 }', 'authorization.password = "…": must be text'],
    ['authorization { user: a, password: $2a$11$W2zko751KUvVy59mUTWmpOdWjpEm5qhcCZRd05GjI }', 'bcrypt'],
    ['authorization { token: "$2a$11$W2zko751KUvVy59mUTWmpOdWjpEm5qhcCZRd05GjI" }', 'bcrypt'],
    ['authorization { users: [ { user: a, password: b }, { user: a, password: c } ] }', 'is listed twice'],
    ['authorization { users: [ { nkey: UA } ] }', 'authorization.users[0].nkey'],
    ['authorization { users: [ { user: a, password: b, permissions: {} } ] }', 'more would be allowed'],
    ['authorization { users: [ { user: a, password: b, permision: {} } ] }', 'is no known key'],
    ['authorization { users: [ a ] }', 'authorization.users[0] = "a": must be a block'],
    ['authorization { users: a }', 'authorization.users = "a": must be a list'],
    ['authorization: yes', 'authorization = true: must be a block'],
  ])('%s is refused', (text, message) => {
    expect(() => resolveOptions({}, parseConfig(text))).toThrow(OptionsError);
    expect(() => resolveOptions({}, parseConfig(text))).toThrow(message);
  });

  test('permissions are refused even when lenient, and no secret is in the error', () => {
    const secret = '$2a$11$W2zko751KUvVy59mUTWmpOdWjpEm5qhcCZRd05GjI';
    const withPermission = 'authorization { users: [ { user: a, password: b, permission: {} } ] }';
    expect(() => resolveOptions({ lenient: true }, parseConfig(withPermission))).toThrow(OptionsError);
    const withHash = parseConfig(`authorization { token: ${secret} }`);
    expect(() => resolveOptions({}, withHash)).not.toThrow(new RegExp(secret.replaceAll('$', '\\$')));
  });
});
