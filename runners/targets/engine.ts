import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RunningEngine } from '../../engine/mod.ts';
import { toolVersion } from '../tool-version.ts';
import { scratchFolder, ServerProcess } from './child.ts';
import { engineChoices, serveFlags } from './engine-options.ts';
import { engineDedup, engineHeapBytes } from './probes.ts';
import type { OpenTarget, Target } from './target.ts';

const loopback = '127.0.0.1';
const startMilliseconds = 15_000;

/** What `oncemark serve --json` prints in one line once it can be reached. */
export type ServeReady = Pick<RunningEngine, 'host' | 'port' | 'monitoringUrl' | 'identity'>;

/** The reference engine in a process of its own, started for each trial on a free loopback port. */
export function engineTarget(spec: string, rest: string): Target {
  const flags = serveFlags(engineChoices(spec, rest));
  return { spec, open: () => openEngineProcess(flags) };
}

async function openEngineProcess(flags: readonly string[]): Promise<OpenTarget> {
  const args = [builtCli(), 'serve', '-a', loopback, '-p', '-1', '-m', '-1', '-js', '--json', ...flags];
  const server = await ServerProcess.start({ command: process.execPath, args, folder: scratchFolder() });
  try {
    const ready = await server.waitFor('its first line', () => readyLine(server.output), startMilliseconds);
    const monitoringUrl = ready.monitoringUrl ?? '';
    return {
      url: `nats://${loopback}:${ready.port}`,
      host: loopback,
      port: ready.port,
      // What the engine announces to clients is a release of nats-server.
      server: { ...ready.identity, version: toolVersion(), flags },
      connectInProcess: null,
      probes: {
        pid: server.pid,
        liveHeapBytes: () => engineHeapBytes(monitoringUrl),
        dedup: () => engineDedup(monitoringUrl),
      },
      close: () => server.close(),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function readyLine(output: string): ServeReady | null {
  const line = output.split('\n').find((text, index, all) => text.startsWith('{') && index < all.length - 1);
  return line === undefined ? null : (JSON.parse(line) as ServeReady);
}

/** Node runs no TypeScript: from source, as under a test runner, the built files beside it are taken. */
function builtCli(): string {
  const isBuilt = import.meta.url.endsWith('.js');
  const path = fileURLToPath(new URL(isBuilt ? '../cli.js' : '../../dist/runners/cli.js', import.meta.url));
  if (!existsSync(path)) throw new Error('the engine is not built: run `npm run build`');
  return path;
}
