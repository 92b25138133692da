import { execFile } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../usage-error.ts';
import { scratchFolder, ServerProcess } from './child.ts';
import { goHeapBytes } from './probes.ts';
import type { OpenTarget, Target } from './target.ts';

const loopback = '127.0.0.1';
const startMilliseconds = 10_000;

/** A nats-server executable, started for each trial with a fresh store and ended after it. */
export function natsServerTarget(spec: string, path: string): Target {
  const executable = executablePath(spec, path);
  return { spec, open: () => openNatsServer(executable) };
}

/** Throws UsageError unless `path` (or, when empty, a nats-server on the search path) can be executed. */
function executablePath(spec: string, path: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = path === '' ? folders.map((folder) => join(folder, 'nats-server')) : [path];
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  const rule = 'write nats-server:PATH with the path of a nats-server executable';
  if (path === '') {
    throw new UsageError(`target "${spec}": there is no nats-server on the search path; ${rule}`);
  }
  throw new UsageError(`target "${spec}": "${path}" is no file that can be executed; ${rule}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function openNatsServer(executable: string): Promise<OpenTarget> {
  const version = await readVersion(executable);
  const folder = scratchFolder();
  const flags = ['-js', '-sd', join(folder, 'store')];
  const network = ['-a', loopback, '-p', '-1', '-m', '-1', '--profile', '-1', '--ports_file_dir', folder];
  const server = await ServerProcess.start({ command: executable, args: [...network, ...flags], folder });
  try {
    const ports = await server.waitFor('its ports file', () => readPortsFile(folder), startMilliseconds);
    const profilingUrl = ports.profile?.[0];
    return {
      url: `nats://${loopback}:${portOf(ports.nats[0])}`,
      host: loopback,
      port: portOf(ports.nats[0]),
      server: { name: 'nats-server', version, profile: null, storage: 'memory', flags: ['-js'] },
      connectInProcess: null,
      probes: {
        pid: server.pid,
        liveHeapBytes: async () =>
          profilingUrl === undefined ? null : goHeapBytes(`http://${loopback}:${portOf(profilingUrl)}`),
        dedup: async () => null,
      },
      close: () => server.close(),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function readVersion(executable: string): Promise<string> {
  const { stdout } = await promisify(execFile)(executable, ['--version']);
  const match = /v(\d+\.\d+\.\d+\S*)/.exec(stdout);
  if (match?.[1] === undefined) {
    throw new Error(`${executable} --version says "${stdout.trim()}", which has no version`);
  }
  return match[1];
}

interface PortsFile {
  readonly nats: readonly string[];
  readonly profile?: readonly string[];
}

// The server renames the file into place, so what can be read is whole.
function readPortsFile(folder: string): PortsFile | null {
  const name = readdirSync(folder).find((entry) => entry.endsWith('.ports'));
  if (name === undefined) return null;
  const text = readFileSync(join(folder, name), 'utf8');
  return text.trim() === '' ? null : (JSON.parse(text) as PortsFile);
}

function portOf(url: string | undefined): number {
  const match = /:(\d+)\/?$/.exec(url ?? '');
  if (match === null) throw new Error(`the ports file names no port: ${url ?? 'nothing'}`);
  return Number(match[1]);
}
