// What a run is to do, from four places: flag, environment, plan file, default, in this order.

import { defaultPlan } from '../default-plan.ts';
import type { CompletePlan } from '../plan-resolve.ts';
import { parameterSpec } from '../plan-parameters.ts';
import { workloadNamed, type Workloads } from '../plan-resolve.ts';
import type { Plan, PlannedTrial } from '../plan.ts';
import { UsageError } from '../usage-error.ts';

/** Flags of `oncemark run`, from the command line or the environment; absent ones are undefined. */
export interface RunFlags {
  readonly target?: readonly string[];
  readonly workload?: readonly string[];
  readonly set?: readonly string[];
  readonly name?: string;
  readonly repeats?: number;
  readonly seed?: string;
  readonly client?: 'wire' | 'nats.js';
  readonly workers?: number;
  readonly order?: 'interleaved' | 'sequential';
  readonly smoke?: boolean;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly progress?: boolean;
  readonly dryRun?: boolean;
}

export interface RunSettings {
  readonly plan: CompletePlan;
  /** Folder of results and report; null for one named after the run. */
  readonly out: string | null;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly progress: boolean;
  readonly dryRun: boolean;
}

/** `plan` is null when no file was given. Throws UsageError. */
export function runSettings(flags: RunFlags, plan: Plan | null, workloads: Workloads): RunSettings {
  const trials = withParameters(chosenTrials(flags, plan, workloads), flags.set ?? [], workloads);
  const isDefaultPlan = plan === null && flags.workload === undefined;
  const defaults = isDefaultPlan ? defaultPlan : { ...defaultPlan, name: 'command line', repeats: 1 };
  const { targets, seed, ...file } = plan ?? {};
  const written = layered(
    { ...defaults, ...presentation, target: defaults.targets },
    { ...file, target: targets, seed: seed === undefined ? undefined : String(seed) },
    flags,
  );
  const { name, repeats, client, workers, order, smoke } = written;
  const { out, json, quiet, progress, dryRun } = written;
  return {
    plan: {
      name,
      seed: written.seed,
      repeats,
      client,
      workers,
      order,
      targets: written.target,
      smoke,
      trials,
    },
    out,
    json,
    quiet,
    progress,
    dryRun,
  };
}

const presentation = {
  out: null as string | null,
  json: false,
  quiet: false,
  progress: true,
  dryRun: false,
};

type Layer<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined };

/** Each later layer wins where it says something. */
function layered<Values extends object>(defaults: Values, ...layers: readonly Layer<Values>[]): Values {
  const said = layers.flatMap((layer) => Object.entries(layer).filter(([, value]) => value !== undefined));
  return { ...defaults, ...(Object.fromEntries(said) as Partial<Values>) };
}

/** `--workload` picks from a plan file; without a file it stands for a plan of its own. */
function chosenTrials(flags: RunFlags, plan: Plan | null, workloads: Workloads): readonly PlannedTrial[] {
  const names = flags.workload;
  if (names === undefined) return plan?.trials ?? defaultPlan.trials;
  for (const name of names) workloadNamed(workloads, name, '--workload');
  if (plan === null) return names.map((workload) => ({ workload, parameters: {} }));
  const picked = plan.trials.filter((trial) => names.includes(trial.workload));
  if (picked.length > 0) return picked;
  const known = [...new Set(plan.trials.map((trial) => trial.workload))].join(', ');
  throw new UsageError(`--workload: the plan has no trials of ${names.join(' or ')}; it has ${known}`);
}

/** `--set name=value` holds for every trial whose workload has that parameter; there must be one. */
function withParameters(
  trials: readonly PlannedTrial[],
  settings: readonly string[],
  workloads: Workloads,
): PlannedTrial[] {
  const assigned = [...readAssignments(settings)];
  const known = (trial: PlannedTrial): object => workloads[trial.workload]?.parameters ?? {};
  for (const [name] of assigned) {
    if (trials.some((trial) => name in known(trial))) continue;
    const workload = workloadNamed(workloads, trials[0]?.workload ?? '', 'plan');
    parameterSpec(workload, name, `--set ${name}`);
  }
  return trials.map((trial) => {
    const own = assigned.filter(([name]) => name in known(trial));
    return { ...trial, parameters: { ...trial.parameters, ...Object.fromEntries(own) } };
  });
}

function readAssignments(settings: readonly string[]): Map<string, string> {
  const assigned = new Map<string, string>();
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    if (equals < 1) throw new UsageError(`--set: "${setting}" is not name=value, for example rate=10k/s`);
    const name = setting.slice(0, equals);
    if (assigned.has(name)) {
      throw new UsageError(`--set: ${name} is set twice; a list sweeps it: ${name}=a,b`);
    }
    assigned.set(name, setting.slice(equals + 1));
  }
  return assigned;
}
