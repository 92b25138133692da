import { connect } from '@nats-io/transport-node';
import { UsageError } from '../usage-error.ts';
import { splitCredentials, withoutPassword } from './credentials.ts';
import { engineDedup, engineHeapBytes, goHeapBytes } from './probes.ts';
import type { OpenTarget, Target } from './target.ts';

const connectMilliseconds = 5000;
const defaultPort = 4222;

interface Address {
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  readonly userinfo: string;
  readonly monitorUrl: string | null;
  readonly profilingUrl: string | null;
}

/**
 * Servers that are already there, `nats://[user:password@]host[:port][,…][?monitor=URL&profile=URL]`. We never
 * start or stop them. `monitor` is an engine's HTTP port, `profile` a nats-server's profiling port.
 */
export function natsTarget(spec: string): Target {
  const address = parseAddress(spec);
  return { spec: withoutPassword(spec), open: () => openNats(address) };
}

function parseAddress(spec: string): Address {
  const [location = '', query = ''] = spec.slice('nats://'.length).split('?');
  const at = location.lastIndexOf('@');
  const options = readOptions(spec, query);
  const servers = location
    .slice(at + 1)
    .replace(/\/$/, '')
    .split(',')
    .map((part) => parseServer(spec, part.replace(/^nats:\/\//, '')));
  return { servers, userinfo: location.slice(0, at + 1), ...options };
}

function parseServer(spec: string, text: string): { host: string; port: number } {
  const match = /^(\[[0-9a-fA-F:]+\]|[^\s:/[\]]+)(?::(\d+))?$/.exec(text);
  const port = Number(match?.[2] ?? defaultPort);
  if (match === null || port < 1 || port > 65_535) {
    throw new UsageError(`target "${withoutPassword(spec)}": "${text}" is no host or host:port`);
  }
  return { host: match[1] as string, port };
}

function readOptions(spec: string, query: string): Pick<Address, 'monitorUrl' | 'profilingUrl'> {
  const options = new URLSearchParams(query);
  for (const name of options.keys()) {
    if (name === 'monitor' || name === 'profile') continue;
    throw new UsageError(
      `target "${withoutPassword(spec)}": unknown option "${name}"; there are monitor and profile`,
    );
  }
  const url = (name: string): string | null => options.get(name)?.replace(/\/$/, '') ?? null;
  return { monitorUrl: url('monitor'), profilingUrl: url('profile') };
}

async function openNats(address: Address): Promise<OpenTarget> {
  const info = await readInfo(address);
  const { monitorUrl, profilingUrl } = address;
  const isEngine = info.name.startsWith('oncemark');
  return {
    url: `nats://${address.userinfo}${info.host}:${info.port}`,
    host: info.host.replaceAll(/^\[|\]$/g, ''),
    port: info.port,
    server: {
      name: isEngine ? 'oncemark-engine' : 'nats-server',
      version: info.version,
      profile: null,
      storage: 'as its operator configured it',
      flags: [],
    },
    connectInProcess: null,
    probes: {
      pid: null,
      liveHeapBytes: async () => {
        if (profilingUrl !== null) return goHeapBytes(profilingUrl);
        return monitorUrl === null ? null : engineHeapBytes(monitorUrl);
      },
      dedup: async () => (monitorUrl === null ? null : engineDedup(monitorUrl)),
    },
    close: async () => {},
  };
}

interface Reached {
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly version: string;
}

/** Which of the servers answers first, and what it is. Throws when none does or it has no JetStream. */
async function readInfo(address: Address): Promise<Reached> {
  const { server: _, ...credentials } = splitCredentials(`nats://${address.userinfo}host`);
  const servers = address.servers.map((server) => `${server.host}:${server.port}`);
  const connection = await connect({
    servers,
    ...credentials,
    timeout: connectMilliseconds,
    reconnect: false,
  });
  try {
    const info = connection.info;
    if (info?.jetstream !== true) throw new Error(`${connection.getServer()} has JetStream switched off`);
    const server = connection.getServer();
    const colon = server.lastIndexOf(':');
    const address = { host: server.slice(0, colon), port: Number(server.slice(colon + 1)) };
    return { ...address, name: info.server_name, version: info.version };
  } finally {
    await connection.close();
  }
}
