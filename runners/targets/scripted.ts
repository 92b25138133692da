import { connectTcp } from '../transport-tcp.ts';
import { UsageError } from '../usage-error.ts';
import { parseFaults } from './fault.ts';
import type { Fault } from './fault.ts';
import { inProcessTarget } from './in-process.ts';
import { FaultScript, sabotage } from './saboteur.ts';
import type { Target } from './target.ts';

const scheme = 'scripted';

/**
 * `scripted[:FAULT@N,…]`: the reference engine in this process, behind a saboteur. What the auditor must find is known
 * beforehand. Throws UsageError for a fault that does not exist.
 */
export function scriptedTarget(spec: string): Target {
  return sabotagedTarget(spec, inProcessTarget('inproc', ''), faultsOf(spec));
}

/** Any target with faults planted between it and the generators. Set-up and read-back by the official client pass by. */
export function sabotagedTarget(spec: string, inner: Target, faults: readonly Fault[]): Target {
  return {
    spec,
    async open() {
      const target = await inner.open();
      const script = new FaultScript(faults);
      const connect = target.connectInProcess ?? (() => connectTcp(target.host, target.port));
      return { ...target, connectInProcess: () => sabotage(connect(), script) };
    },
  };
}

function faultsOf(spec: string): Fault[] {
  try {
    return parseFaults(spec.slice(scheme.length).replace(/^:/, ''));
  } catch (error) {
    throw new UsageError(`target "${spec}": ${error instanceof RangeError ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
