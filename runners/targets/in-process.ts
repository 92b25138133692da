import { resolveOptions, serve } from '../../engine/mod.ts';
import { toolVersion } from '../tool-version.ts';
import { engineChoices, serveFlags } from './engine-options.ts';
import type { OpenTarget, Target } from './target.ts';

const loopback = '127.0.0.1';

/**
 * The reference engine in this process and thread: load without sockets. Set-up and read-back still come over
 * loopback. Memory and CPU are the generator's too, so neither is told.
 */
export function inProcessTarget(spec: string, rest: string): Target {
  const choices = engineChoices(spec, rest);
  return {
    spec,
    open: async (): Promise<OpenTarget> => {
      const engine = await serve(
        resolveOptions({ host: loopback, port: -1, jetstream: true, ...choices }, null),
      );
      const { port, identity } = engine;
      return {
        url: `nats://${loopback}:${port}`,
        host: loopback,
        port,
        server: { ...identity, version: toolVersion(), flags: serveFlags(choices) },
        connectInProcess: () => engine.connect(),
        probes: {
          pid: null,
          liveHeapBytes: async () => null,
          dedup: async () => engine.dedup(),
        },
        close: () => engine.close(),
      };
    },
  };
}
