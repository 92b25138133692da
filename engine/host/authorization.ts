import { createHash, timingSafeEqual } from 'node:crypto';
import type { Nanos } from '../base/nanos.ts';
import { second } from '../base/nanos.ts';
import type { Leftovers, OptionReader, WrittenField } from './option-reader.ts';
import { blockOf, OptionsError } from './option-reader.ts';

interface UserCredentials {
  readonly user: string;
  readonly password: string;
}

/** Who may connect: the holders of one token, or some users. */
export interface AuthorizationOptions {
  readonly token: string | null;
  readonly users: readonly UserCredentials[];
  /** Within which CONNECT must arrive (spec 1.1). */
  readonly timeoutNs: Nanos;
}

/** What of the server's options decides about a connection. */
export interface AccessOptions {
  /** null lets everybody in. */
  readonly authorization: AuthorizationOptions | null;
  /** The user taken for a client that gives no credentials at all. */
  readonly noAuthUser: string | null;
}

/** The credentials of a CONNECT, as they came (spec 1.2). */
export interface ConnectCredentials {
  readonly user?: string | undefined;
  readonly pass?: string | undefined;
  readonly auth_token?: string | undefined;
}

export interface Access {
  readonly allowed: boolean;
  readonly user: string | null;
}

const refused: Access = { allowed: false, user: null };
export const authorizationTimeoutNs: Nanos = 2 * second;

/** Decides about a CONNECT. How long it takes tells nothing about how much of a password was right. */
export function authorize({ authorization, noAuthUser }: AccessOptions, connect: ConnectCredentials): Access {
  if (authorization === null) return { allowed: true, user: null };
  const { token, users } = authorization;
  const hasCredentials = [connect.user, connect.pass, connect.auth_token].some(
    (given) => given !== undefined && given !== '',
  );
  if (!hasCredentials) return noAuthUser === null ? refused : { allowed: true, user: noAuthUser };
  if (token !== null) return { allowed: sameSecret(connect.auth_token ?? '', token), user: null };
  const known = users.find(({ user }) => user === connect.user);
  const isRight = sameSecret(connect.pass ?? '', known?.password ?? '');
  return known !== undefined && isRight ? { allowed: true, user: known.user } : refused;
}

// Digests are of one length, which timingSafeEqual asks for.
function sameSecret(given: string, expected: string): boolean {
  const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * Reads an `authorization` block: a token, or `user` and `password`, or a list of users (spec 1.5). Throws
 * OptionsError, also at what would let in more than the file says: hashed passwords, permissions, keys.
 */
export function readAuthorization(block: OptionReader, leftovers: Leftovers): AuthorizationOptions {
  const token = readSecret(block, 'token');
  const single = readUser(block);
  const users = block.list('users')?.map((item) => readListedUser(item, leftovers)) ?? [];
  const timeoutNs = block.durationNs('timeout') ?? authorizationTimeoutNs;
  refuse(block, 'permissions', 'default_permissions', 'auth_callout', 'proxy_required');
  const kindCount = Number(token !== null) + Number(single !== null) + Number(users.length > 0);
  if (kindCount !== 1) {
    const rule = 'must have one of: token, user with password, or a list of users';
    throw new OptionsError(block.path.slice(0, -1), {}, rule);
  }
  const all = single === null ? users : [single];
  refuseTwins(block.path, all);
  block.finish(leftovers);
  return { token, users: all, timeoutNs };
}

function readListedUser(item: WrittenField, leftovers: Leftovers): UserCredentials {
  const block = blockOf(item);
  refuse(block, 'nkey', 'permissions', 'permission', 'allowed_connection_types', 'proxy_required');
  const user = readUser(block);
  block.finish(leftovers);
  if (user === null) throw new OptionsError(item.field, item.value, 'must have user and password');
  return user;
}

function readUser(block: OptionReader): UserCredentials | null {
  const user = block.text('user', 'username');
  const password = readSecret(block, 'password', 'pass');
  if (user === null && password === null) return null;
  if (user !== null && password !== null) return { user, password };
  const missing = user === null ? 'user' : 'password';
  throw new OptionsError(`${block.path}${missing}`, null, 'user and password belong together');
}

function readSecret(block: OptionReader, ...names: readonly string[]): string | null {
  const found = block.find(...names);
  return found === null ? null : plainSecret(found);
}

/** A password or token; OptionsError, without the secret in it, when it is no text or a bcrypt hash. */
export function plainSecret({ field, value }: WrittenField): string {
  if (typeof value !== 'string' || value === '') {
    throw new OptionsError(field, '…', 'must be text (put quotes around it)');
  }
  if (!/^\$2[abxy]\$\d\d\$/.test(value)) return value;
  throw new OptionsError(field, '$2…', 'bcrypt hashes are not supported: give the password itself');
}

function refuse(block: OptionReader, ...names: readonly string[]): void {
  const found = block.find(...names);
  if (found === null) return;
  throw new OptionsError(found.field, found.value, 'is not supported, and without it more would be allowed');
}

function refuseTwins(path: string, users: readonly UserCredentials[]): void {
  const names = users.map(({ user }) => user);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new OptionsError(`${path}users`, twin, 'is listed twice');
}
