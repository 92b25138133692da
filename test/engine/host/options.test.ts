import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../engine/host/config-file.ts';
import { OptionsError } from '../../../engine/host/option-reader.ts';
import type { ServerFlags, ServerOptions } from '../../../engine/host/options.ts';
import { resolveOptions } from '../../../engine/host/options.ts';

function fromText(text: string, flags: ServerFlags = {}): ServerOptions {
  return resolveOptions(flags, parseConfig(text));
}

describe('resolveOptions', () => {
  test('a server without flags and file', () => {
    expect(resolveOptions({}, null)).toEqual({
      host: '127.0.0.1',
      port: 4222,
      monitorHost: '127.0.0.1',
      monitorPort: null,
      serverName: null,
      serverTags: [],
      jetstream: {
        enabled: true,
        storeDir: null,
        maxMemoryBytes: null,
        maxFileBytes: null,
        domain: null,
        strict: null,
        limits: { maxAckPending: null, duplicateWindowNs: null, maxRequestBatch: null },
      },
      maxPayloadBytes: 1_048_576,
      maxControlLineBytes: 4096,
      maxPendingBytes: 67_108_864,
      writeDeadlineNs: 10e9,
      pingIntervalNs: 120e9,
      maxPingsOut: 2,
      maxConnections: 65_536,
      maxSubscriptions: null,
      authorization: null,
      noAuthUser: null,
      portsFileDir: null,
      debug: false,
      trace: false,
      profile: 'strict',
      dedup: 'compact',
      sync: 'always',
      syncIntervalNs: 120e9,
      announce: null,
      acceptedButUnused: [],
    });
  });

  test("a test suite's server: any ports, small stores, blocks that change nothing here (spec B.2)", () => {
    const options = fromText(`
      jetstream {
        max_file_store: 1048576
        max_mem_store: 1048576
        store_dir: /data/js
      }
      host: "127.0.0.1"
      port: -1
      http: "127.0.0.1:-1"
      leafnodes {
        listen: "127.0.0.1:-1"
      }
      server_tags [
        id:QX3B
      ]
      websocket {
        port: -1
        no_tls: true
      }
      cluster {
        name: C_1
        listen: 127.0.0.1:-1
        routes [
          nats://127.0.0.1:40001
        ]
      }
      debug: false
      trace: true
      max_payload: 2048
      ports_file_dir: /data
    `);
    expect(options).toMatchObject({
      port: 0,
      monitorPort: 0,
      serverTags: ['id:QX3B'],
      jetstream: { enabled: true, storeDir: '/data/js', maxMemoryBytes: 1_048_576, maxFileBytes: 1_048_576 },
      maxPayloadBytes: 2048,
      portsFileDir: '/data',
      trace: true,
      acceptedButUnused: ['cluster', 'leafnodes', 'websocket'],
    });
  });

  test('flags count before the file', () => {
    const flags = {
      port: '4333',
      monitorPort: 8333,
      serverName: 'n',
      storeDir: '/b',
      sync: 'none',
      jetstream: false,
    };
    const options = fromText(
      'port: 1, http: 2, server_name: m, jetstream { store_dir: /a, sync_interval: 5s }',
      flags,
    );
    expect(options).toMatchObject({
      port: 4333,
      monitorPort: 8333,
      serverName: 'n',
      sync: 'none',
      syncIntervalNs: 5e9,
      jetstream: { enabled: false, storeDir: '/b' },
    });
  });

  test.each([
    ['jetstream: enabled', true],
    ['jetstream: true', true],
    ['jetstream {}', true],
    ['jetstream { enabled: false }', false],
    ['jetstream: disabled', false],
    ['port: 4222', false],
  ])('%s: JetStream %s', (text, enabled) => {
    expect(fromText(text).jetstream.enabled).toBe(enabled);
  });

  test.each([
    ['listen: 0.0.0.0:4333', { host: '0.0.0.0', port: 4333 }],
    ['listen: "[::1]:-1"', { host: '::1', port: 0 }],
    ['listen: 4333', { host: '127.0.0.1', port: 4333 }],
    ['http: 8222', { monitorHost: '127.0.0.1', monitorPort: 8222 }],
    ['http: ":8222"', { monitorHost: '127.0.0.1', monitorPort: 8222 }],
    ['http: localhost:8222', { monitorHost: 'localhost', monitorPort: 8222 }],
    ['http_port: 8222', { monitorPort: 8222 }],
    ['monitor_port: -1', { monitorPort: 0 }],
    ['HTTP_Port: 8222', { monitorPort: 8222 }],
    ['max_connections: -1', { maxConnections: Number.POSITIVE_INFINITY }],
    ['max_subs: 10', { maxSubscriptions: 10 }],
    ['max_pending: 128MB', { maxPendingBytes: 134_217_728 }],
    ['write_deadline: "2s"', { writeDeadlineNs: 2e9 }],
    ['ping_interval: 90', { pingIntervalNs: 90e9 }],
    ['ping_interval: 1m30s', { pingIntervalNs: 90e9 }],
    ['server_tags: "a b"', { serverTags: ['a', 'b'] }],
    ['jetstream { sync_interval: always }', { sync: 'always' }],
    ['jetstream { sync_interval: 1m0s }', { sync: 'interval', syncIntervalNs: 60e9 }],
    ['jetstream { max_mem: -1, max_file: 0 }', { jetstream: { maxMemoryBytes: null, maxFileBytes: 0 } }],
    ['jetstream { domain: hub, strict: false }', { jetstream: { domain: 'hub', strict: false } }],
    [
      'jetstream { limits { max_ack_pending: 100, duplicate_window: "1m0s", max_request_batch: 250 } }',
      { jetstream: { limits: { maxAckPending: 100, duplicateWindowNs: 60e9, maxRequestBatch: 250 } } },
    ],
    [
      'logtime: true, jetstream { unique_tag: a }',
      { acceptedButUnused: ['logtime', 'jetstream.unique_tag'] },
    ],
  ])('%s', (text, expected) => {
    expect(fromText(text)).toMatchObject(expected);
  });

  test.each([
    ['port: 70000', 'port = 70000: must be a whole number from -1 to 65535'],
    ['port: "4222"', 'port = "4222": must be a whole number'],
    ['http: nowhere', 'http = "nowhere": must be host:port'],
    ['server_name: 12', 'server_name = 12: must be text (put quotes around it)'],
    ['debug: maybe', 'debug = "maybe": must be true or false'],
    ['write_deadline: soon', 'write_deadline = "soon": must be a duration such as'],
    ['ping_interval: -1s', 'ping_interval = "-1s": must be a duration'],
    ['max_payload: 100MB', 'max_payload = 104857600: must be a whole number from 1 to 67108864'],
    ['max_payloads: 1', 'max_payloads = 1: is no known key; did you mean max_payload?'],
    ['frobnicate { a: 1 }', 'frobnicate = {…}: is no known key'],
    ['jetstream { stor_dir: a }', 'jetstream.stor_dir = "a": is no known key; did you mean store_dir?'],
    ['jetstream { limits { max_acks: 1 } }', 'jetstream.limits.max_acks = 1: is no known key'],
    ['jetstream: perhaps', 'jetstream = "perhaps": must be enabled, disabled or a block'],
    ['jetstream { key: secret }', 'encryption of the store is not supported'],
    ['jetstream { limits: 1 }', 'jetstream.limits = 1: must be a block'],
    ['server_tags [ 1 ]', 'server_tags = 1: must be text'],
    ['tls { cert_file: a }', 'tls = {…}: TLS is not supported'],
    ['accounts { A {} }', 'accounts = {…}: accounts are not supported'],
    ['no_auth_user: a', 'no_auth_user = "a": must be one of the users'],
  ])('%s is refused', (text, message) => {
    expect(() => fromText(text)).toThrow(OptionsError);
    expect(() => fromText(text)).toThrow(message);
  });

  test.each<[ServerFlags, string]>([
    [{ port: 'many' }, '--port = "many": must be a whole number'],
    [{ profile: 'strikt' }, '--profile = "strikt": must be strict or nats; did you mean strict?'],
    [{ dedup: 'bloom' }, '--dedup = "bloom": must be map or compact'],
    [{ sync: 'never' }, '--sync = "never": must be always or interval or none'],
    [{ announce: '2.x' }, '--announce = "2.x": must be a release'],
    [{ user: 'a' }, '--user = "a": --user and --pass belong together'],
    [{ auth: 't', user: 'a', pass: 'b' }, '--auth = "…": cannot be given together with --user'],
    [{ auth: '$2a$11$abc' }, '--auth = "$2…": bcrypt hashes are not supported'],
  ])('%o is refused', (flags, message) => {
    expect(() => resolveOptions(flags, null)).toThrow(OptionsError);
    expect(() => resolveOptions(flags, null)).toThrow(message);
  });

  test('lenient lists unknown and unsupported keys instead', () => {
    const text = 'frobnicate: 1, tls {}, jetstream { hurry: true }, authorization { token: t, mood: good }';
    const { acceptedButUnused } = fromText(text, { lenient: true });
    expect(acceptedButUnused).toEqual(['tls', 'jetstream.hurry', 'authorization.mood', 'frobnicate']);
  });
});
