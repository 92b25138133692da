import { readEnvironment } from '../../runners/environment.ts';
import { readParameters } from '../../runners/plan-parameters.ts';
import { natsServerTarget } from '../../runners/targets/nats-server.ts';
import type { OpenTarget, Target } from '../../runners/targets/target.ts';
import type { TrialRequest } from '../../runners/trial.ts';
import type { Run } from '../../results/run.ts';
import { workloads } from '../../workloads/registry.ts';
import type { Workload } from '../../workloads/workload.ts';
import { natsServerPath } from '../support/real.ts';
import type { NatsServerVersion } from '../support/real.ts';

/** A trial of the named workload with its smoke parameters, some of them changed. */
export function trialOf(
  name: string,
  target: Target,
  changes: Readonly<Record<string, string>> = {},
  more: Partial<TrialRequest> = {},
): TrialRequest {
  const workload = workloadNamed(name);
  const { values, texts, numbers } = readParameters(workload, changes, true, 'parameters');
  return {
    workload,
    parameters: texts,
    values,
    numbers,
    swept: [],
    target,
    client: 'wire',
    workerCount: 1,
    seed: 'seed 1',
    runId: 'run',
    cell: 'cell',
    repeat: 0,
    trial: 0,
    command: ['oncemark', 'run'],
    environment: readEnvironment(),
    signal: new AbortController().signal,
    ...more,
  };
}

function workloadNamed(name: string): Workload {
  const found = Object.values(workloads).find((workload) => workload.name === name);
  if (found === undefined) throw new Error(`no workload ${name}`);
  return found;
}

/** A fresh server of that release for each trial. Looked for when it is opened: a skipped test may name one that is missing. */
export function realTarget(version: NatsServerVersion): Target {
  const spec = `nats-server:${version}`;
  return { spec, open: () => natsServerTarget(spec, natsServerPath(version) ?? '').open() };
}

/** One server for all trials of a test file, since each start costs a second. */
export class SharedTarget implements Target {
  readonly spec: string;
  readonly #inner: Target;
  #open: Promise<OpenTarget> | null = null;

  constructor(inner: Target) {
    this.spec = inner.spec;
    this.#inner = inner;
  }

  async open(): Promise<OpenTarget> {
    this.#open ??= this.#inner.open();
    return { ...(await this.#open), close: async () => {} };
  }

  async end(): Promise<void> {
    await (await this.#open)?.close();
  }
}

/** Findings by class, with their counts. */
export function findingsOf(run: Run): Record<string, number> {
  return Object.fromEntries(run.audit.findings.map((finding) => [finding.class, finding.count]));
}

/** What makes the trial's numbers unusable on any machine; a busy one adds lateness and saturation to it. */
export function faultsOf(run: Run): string[] {
  const machine = ['generator-saturated', 'lateness-high', 'rate-not-reached', 'clock-cross-check-failed'];
  const isFault = (kind: string): boolean => !machine.includes(kind);
  return run.caveats
    .filter(
      (caveat) =>
        (caveat.severity === 'invalid' && isFault(caveat.kind)) || caveat.kind === 'operation-errors',
    )
    .map((caveat) => `${caveat.kind}: ${caveat.message}`);
}
