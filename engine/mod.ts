// The engine's door: everything outside the engine comes in here.

import { availableParallelism } from 'node:os';
import { randomBytes } from 'node:crypto';
import type { Broker } from './host/broker.ts';
import { EngineLoop } from './host/engine-loop.ts';
import { connectInProcess, type InProcessConnection } from './host/in-process.ts';
import { startMonitoring, type Monitoring } from './host/monitoring.ts';
import { BrokerPages, type ProcessFigures } from './host/monitoring-source.ts';
import type { ServerOptions } from './host/options.ts';
import { writePortsFile } from './host/ports-file.ts';
import { listen } from './host/tcp-server.ts';

export { parseConfig, ConfigError, type ConfigBlock } from './host/config-file.ts';
export { OptionsError } from './host/option-reader.ts';
export { resolveOptions, type ServerFlags, type ServerOptions } from './host/options.ts';
export type { InProcessConnection } from './host/in-process.ts';

/** Who answers, as results name it. */
export interface EngineIdentity {
  readonly name: 'oncemark-engine';
  readonly version: string;
  /** `strict`, or the release whose corners it follows. */
  readonly profile: string;
  /** Where messages are kept, the label beside every figure. */
  readonly storage: string;
}

/** A server that runs in this process. */
export interface RunningEngine {
  readonly host: string;
  readonly port: number;
  /** Base of the monitoring pages; null when monitoring is off. */
  readonly monitoringUrl: string | null;
  readonly identity: EngineIdentity;
  /** Connects without a socket, in this thread. */
  connect(): InProcessConnection;
  /** Figures without HTTP: ids remembered and their bytes over all streams, and this process's live heap. */
  dedup(): { readonly entryCount: number; readonly bytes: number };
  heapBytes(): number;
  /** Closes every connection and stops listening. */
  close(): Promise<void>;
}

/**
 * Starts a server by its options. Rejects when it cannot listen or cannot write its ports file, with nothing left
 * running.
 */
export async function serve(options: ServerOptions): Promise<RunningEngine> {
  const loop = new EngineLoop(options, randomBytes(16).toString('hex'));
  const closers: (() => Promise<void> | void)[] = [() => loop.close()];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  try {
    return await open(options, loop, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  options: ServerOptions,
  loop: EngineLoop,
  closers: (() => Promise<void> | void)[],
  close: () => Promise<void>,
): Promise<RunningEngine> {
  const { broker } = loop;
  const tcp = await listen(loop);
  closers.push(() => tcp.close());
  const monitoring =
    options.monitorPort === null ? null : await openMonitoring(options, options.monitorPort, broker);
  if (monitoring !== null) closers.push(() => monitoring.close());
  const monitoringUrl = monitoring === null ? null : `http://${options.monitorHost}:${monitoring.port}`;
  if (options.portsFileDir !== null) {
    const ports = writePortsFile(options.portsFileDir, 'nats-server', process.pid, {
      nats: [`nats://${options.host}:${tcp.port}`],
      monitoring: monitoringUrl === null ? [] : [monitoringUrl],
    });
    closers.push(() => ports.remove());
  }
  closers.push(() => {
    for (const connection of broker.connections.values()) connection.close();
  });
  return {
    host: options.host,
    port: tcp.port,
    monitoringUrl,
    identity: {
      name: 'oncemark-engine',
      version: broker.version,
      profile: options.profile === 'strict' ? 'strict' : `nats-${broker.profile.version}`,
      storage: 'memory',
    },
    connect: () => connectInProcess(loop),
    dedup: () => dedupOf(loop),
    heapBytes: () => processFigures().heapBytes,
    close,
  };
}

function openMonitoring(options: ServerOptions, port: number, broker: Broker): Promise<Monitoring> {
  return startMonitoring({
    host: options.monitorHost,
    port,
    source: new BrokerPages(broker, processFigures),
  });
}

function dedupOf({ broker }: EngineLoop): { entryCount: number; bytes: number } {
  let entryCount = 0;
  let bytes = 0;
  for (const { dedup } of broker.jetstream?.state.streams.values() ?? []) {
    entryCount += dedup.entryCount;
    bytes += dedup.accountedBytes;
  }
  return { entryCount, bytes };
}

const coreCount = availableParallelism();

function processFigures(): ProcessFigures {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    residentBytes: rss,
    heapBytes: heapUsed + external,
    cpuSeconds: (user + system) / 1e6,
    coreCount,
  };
}
