import type { DedupKind } from '../core/dedup-window.ts';
import type { ProfileName } from '../core/profile.ts';
import type { Nanos } from '../base/nanos.ts';
import { second } from '../base/nanos.ts';
import type { AccessOptions, AuthorizationOptions } from './authorization.ts';
import { authorizationTimeoutNs, plainSecret, readAuthorization } from './authorization.ts';
import type { ConfigBlock, ConfigValue } from './config-file.ts';
import { scalarValue } from './config-file.ts';
import type { JetStreamOptions } from './jetstream-options.ts';
import { readJetStream } from './jetstream-options.ts';
import type { Leftovers, WrittenField } from './option-reader.ts';
import { blockOf, choiceOf, integerOf, OptionReader, OptionsError, textOf } from './option-reader.ts';
import { refusedKeys, unusedKeys } from './unused-keys.ts';

type SyncMode = 'always' | 'interval' | 'none';

/** Everything a server is told, flags before file before default. */
export interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port; `-1` in flags and files. */
  readonly port: number;
  readonly monitorHost: string;
  /** null serves no monitoring; 0 takes any free port. */
  readonly monitorPort: number | null;
  readonly serverName: string | null;
  readonly serverTags: readonly string[];
  readonly jetstream: JetStreamOptions;
  readonly maxPayloadBytes: number;
  readonly maxControlLineBytes: number;
  readonly maxPendingBytes: number;
  readonly writeDeadlineNs: Nanos;
  readonly pingIntervalNs: Nanos;
  /** Unanswered pings after which a connection is stale. */
  readonly maxPingsOut: number;
  readonly maxConnections: number;
  /** For one connection; null is no limit. */
  readonly maxSubscriptions: number | null;
  readonly authorization: AuthorizationOptions | null;
  readonly noAuthUser: string | null;
  readonly portsFileDir: string | null;
  readonly debug: boolean;
  readonly trace: boolean;
  readonly profile: ProfileName;
  readonly dedup: DedupKind;
  readonly sync: SyncMode;
  readonly syncIntervalNs: Nanos;
  /** Version told in INFO and /varz; null leaves it to the profile. */
  readonly announce: string | null;
  /** Keys of the file that are understood, or with `lenient` not even that, and change nothing here. */
  readonly acceptedButUnused: readonly string[];
}

/** Flags as they were written, before any check. */
export interface ServerFlags {
  readonly host?: string | undefined;
  readonly port?: number | string | undefined;
  readonly monitorPort?: number | string | undefined;
  readonly serverName?: string | undefined;
  readonly jetstream?: boolean | undefined;
  readonly storeDir?: string | undefined;
  readonly user?: string | undefined;
  readonly pass?: string | undefined;
  readonly auth?: string | undefined;
  readonly portsFileDir?: string | undefined;
  readonly debug?: boolean | undefined;
  readonly trace?: boolean | undefined;
  readonly profile?: string | undefined;
  readonly dedup?: string | undefined;
  readonly sync?: string | undefined;
  readonly announce?: string | undefined;
  /** Unknown and unsupported top-level keys, and unknown ones elsewhere, are listed as unused instead of refused. */
  readonly lenient?: boolean | undefined;
}

const mebibyte = 1024 * 1024;
/** A record of the log tells the length of its subject in 16 bits. */
const controlLineBytesMax = 65_535;
const loopback = '127.0.0.1';
const limitMax = Number.MAX_SAFE_INTEGER;

/**
 * The options of one server. Without a file JetStream is on; with one, as in nats-server, only when the file or
 * the flag says so. Throws OptionsError, which names field, value and rule.
 */
export function resolveOptions(flags: ServerFlags, config: ConfigBlock | null): ServerOptions {
  const file = readFile(config, flags.lenient ?? false);
  return {
    ...file,
    host: flags.host ?? file.host,
    port: portFlag('--port', flags.port) ?? file.port,
    monitorPort: portFlag('--http_port', flags.monitorPort) ?? file.monitorPort,
    serverName: flags.serverName ?? file.serverName,
    jetstream: {
      ...file.jetstream,
      enabled: flags.jetstream ?? file.jetstream.enabled,
      storeDir: flags.storeDir ?? file.jetstream.storeDir,
    },
    ...checkedAccess({ ...file, authorization: flagAuthorization(flags) ?? file.authorization }),
    portsFileDir: flags.portsFileDir ?? file.portsFileDir,
    debug: flags.debug ?? file.debug,
    trace: flags.trace ?? file.trace,
    profile: choiceOf<ProfileName>(flagOr('--profile', flags.profile, file.profile), ['strict', 'nats']),
    dedup: choiceOf<DedupKind>(flagOr('--dedup', flags.dedup, file.dedup), ['map', 'compact']),
    sync: choiceOf<SyncMode>(flagOr('--sync', flags.sync, file.sync), ['always', 'interval', 'none']),
    announce: flags.announce === undefined ? null : versionOf(flags.announce),
  };
}

// The whole file is read before any flag counts: what a flag replaces must be right and known too.
function readFile(config: ConfigBlock | null, isLenient: boolean): ServerOptions {
  const file = new OptionReader('', config ?? {});
  const leftovers: Leftovers = { isLenient, fields: [] };
  leaveOut(file, leftovers);
  const jetstream = readJetStream(file, leftovers);
  const authorization = file.find('authorization');
  const options = {
    ...addresses(file),
    serverName: file.text('server_name'),
    serverTags: readTags(file),
    jetstream: { ...jetstream.options, enabled: jetstream.enabled ?? config === null },
    ...clientLimits(file),
    authorization: authorization === null ? null : readAuthorization(blockOf(authorization), leftovers),
    noAuthUser: file.text('no_auth_user'),
    portsFileDir: file.text('ports_file_dir'),
    debug: file.boolean('debug') ?? false,
    trace: file.boolean('trace') ?? false,
    profile: 'strict',
    dedup: 'compact',
    sync: jetstream.sync,
    syncIntervalNs: jetstream.syncIntervalNs,
    announce: null,
  } as const;
  file.finish(leftovers);
  return { ...options, acceptedButUnused: leftovers.fields };
}

function leaveOut(file: OptionReader, leftovers: Leftovers): void {
  for (const [key, reason] of refusedKeys) {
    const found = file.find(key);
    if (found === null) continue;
    if (!leftovers.isLenient) throw new OptionsError(found.field, found.value, reason);
    leftovers.fields.push(found.field);
  }
  file.leaveOut(unusedKeys, leftovers);
}

type Addresses = Pick<ServerOptions, 'host' | 'port' | 'monitorHost' | 'monitorPort'>;

function addresses(file: OptionReader): Addresses {
  const listen = readAddress(file.find('listen'));
  const http = readAddress(file.find('http'));
  const port = readPort(file.find('port'));
  const monitorPort = readPort(file.find('http_port', 'monitor_port'));
  return {
    host: file.text('host', 'net') ?? listen?.host ?? loopback,
    port: port ?? listen?.port ?? 4222,
    monitorHost: http?.host ?? loopback,
    monitorPort: http?.port ?? monitorPort,
  };
}

interface Address {
  readonly host: string | null;
  readonly port: number;
}

/** `host:port`, `[::1]:port`, `:port` or `port`. */
function readAddress(written: WrittenField | null): Address | null {
  if (written === null) return null;
  if (typeof written.value === 'number') return { host: null, port: portOf(written) };
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]*)):(-?\d+)$/.exec(textOf(written));
  if (parts === null) {
    throw new OptionsError(written.field, written.value, 'must be host:port, such as 127.0.0.1:8222');
  }
  const host = parts[1] ?? parts[2] ?? '';
  return { host: host === '' ? null : host, port: portOf({ ...written, value: Number(parts[3]) }) };
}

function readPort(written: WrittenField | null): number | null {
  return written === null ? null : portOf(written);
}

function portFlag(field: string, value: number | string | undefined): number | null {
  if (value === undefined) return null;
  return portOf({ field, value: typeof value === 'string' ? scalarValue(value) : value });
}

function portOf(written: WrittenField): number {
  return Math.max(0, integerOf(written, -1, 65_535));
}

function readTags(file: OptionReader): readonly string[] {
  const found = file.find('server_tags');
  if (found === null) return [];
  if (!Array.isArray(found.value)) return textOf(found).split(/\s+/);
  return found.value.map((value: ConfigValue) => textOf({ field: found.field, value }));
}

type ClientLimits = Pick<
  ServerOptions,
  | 'maxPayloadBytes'
  | 'maxControlLineBytes'
  | 'maxPendingBytes'
  | 'writeDeadlineNs'
  | 'pingIntervalNs'
  | 'maxPingsOut'
  | 'maxConnections'
  | 'maxSubscriptions'
>;

function clientLimits(file: OptionReader): ClientLimits {
  const maxPendingBytes = file.integer(1, limitMax, 'max_pending') ?? 64 * mebibyte;
  const maxSubscriptions = file.integer(-1, limitMax, 'max_subscriptions', 'max_subs') ?? 0;
  const maxConnections = file.integer(-1, limitMax, 'max_connections', 'max_conn') ?? 65_536;
  return {
    maxPayloadBytes: file.integer(1, maxPendingBytes, 'max_payload') ?? mebibyte,
    maxControlLineBytes: file.integer(64, controlLineBytesMax, 'max_control_line') ?? 4096,
    maxPendingBytes,
    writeDeadlineNs: file.durationNs('write_deadline') ?? 10 * second,
    pingIntervalNs: file.durationNs('ping_interval') ?? 120 * second,
    maxPingsOut: file.integer(1, 1000, 'ping_max') ?? 2,
    maxConnections: maxConnections > 0 ? maxConnections : Number.POSITIVE_INFINITY,
    maxSubscriptions: maxSubscriptions > 0 ? maxSubscriptions : null,
  };
}

function checkedAccess({ authorization, noAuthUser }: AccessOptions): AccessOptions {
  if (noAuthUser !== null && !authorization?.users.some(({ user }) => user === noAuthUser)) {
    throw new OptionsError('no_auth_user', noAuthUser, 'must be one of the users in authorization');
  }
  return { authorization, noAuthUser };
}

function flagAuthorization({ user, pass, auth }: ServerFlags): AuthorizationOptions | null {
  if (user === undefined && pass === undefined && auth === undefined) return null;
  const timeoutNs = authorizationTimeoutNs;
  if (auth !== undefined) {
    if (user !== undefined) throw new OptionsError('--auth', '…', 'cannot be given together with --user');
    return { token: plainSecret({ field: '--auth', value: auth }), users: [], timeoutNs };
  }
  if (user === undefined || pass === undefined) {
    throw new OptionsError('--user', user ?? null, '--user and --pass belong together');
  }
  return {
    token: null,
    users: [{ user, password: plainSecret({ field: '--pass', value: pass }) }],
    timeoutNs,
  };
}

function flagOr(field: string, value: string | undefined, otherwise: string): WrittenField {
  return { field, value: value ?? otherwise };
}

function versionOf(version: string): string {
  if (/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) return version;
  throw new OptionsError('--announce', version, 'must be a release such as 2.10.27');
}
