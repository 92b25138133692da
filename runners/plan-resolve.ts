import { createHash } from 'node:crypto';
import { AssertionError } from '../engine/base/assert.ts';
import type { ParameterValues, Workload, WorkloadPlan } from '../workloads/workload.ts';
import { nearestWord } from './nearest-word.ts';
import { estimateTrial, type Estimate } from './plan-estimate.ts';
import { parameterSpec, readParameters } from './plan-parameters.ts';
import { sweptValues } from './plan-sweep.ts';
import type { PlannedTrial } from './plan.ts';
import { UsageError, withSuggestion } from './usage-error.ts';

/** A plan in which nothing is left open. */
export interface CompletePlan {
  readonly name: string;
  readonly seed: string;
  readonly repeats: number;
  readonly client: 'wire' | 'nats.js';
  readonly workers: number;
  readonly order: 'interleaved' | 'sequential';
  readonly targets: readonly string[];
  readonly smoke: boolean;
  readonly trials: readonly PlannedTrial[];
}

/** One trial, with every parameter, in the order in which it will run. */
export interface ResolvedTrial {
  /** Position in the run, from 0. */
  readonly trial: number;
  /** Trials of equal workload, parameters, target, client and workers share it. */
  readonly cell: string;
  readonly repeat: number;
  readonly target: string;
  readonly workload: Workload;
  readonly values: ParameterValues;
  readonly parameters: Readonly<Record<string, string>>;
  readonly numbers: Readonly<Record<string, number>>;
  readonly swept: readonly string[];
  readonly plan: WorkloadPlan;
  readonly estimate: Estimate;
}

export type Workloads = Readonly<Record<string, Workload>>;

type Cell = Omit<ResolvedTrial, 'trial' | 'repeat'>;

/** All trials of a plan in order. Pure. Throws UsageError with path, value and rule. */
export function resolvePlan(plan: CompletePlan, workloads: Workloads): ResolvedTrial[] {
  const cells = distinctCells(
    plan.trials.flatMap((planned, index) => cellsOf(plan, planned, index, workloads)),
  );
  return ordered(cells, plan).map((entry, trial) => ({ ...entry.cell, repeat: entry.repeat, trial }));
}

/** The workload of that name. Throws UsageError with the nearest name. */
export function workloadNamed(workloads: Workloads, name: string, path: string): Workload {
  const workload = Object.hasOwn(workloads, name) ? workloads[name] : undefined;
  if (workload !== undefined) return workload;
  const known = Object.keys(workloads);
  const problem = `${path}: there is no workload "${name}"`;
  const near = nearestWord(name, known);
  throw new UsageError(
    near === null ? `${problem}; there are ${known.join(', ')}` : withSuggestion(problem, near),
  );
}

// Even repeats run the cells forwards and odd ones backwards (A B B A), so that a steady drift of the machine
// weighs on all cells alike.
function ordered(cells: readonly Cell[], plan: CompletePlan): { cell: Cell; repeat: number }[] {
  const repeats = Array.from({ length: plan.repeats }, (_, repeat) => repeat);
  if (plan.order === 'sequential') {
    return cells.flatMap((cell) => repeats.map((repeat) => ({ cell, repeat })));
  }
  return repeats.flatMap((repeat) => {
    const round = repeat % 2 === 0 ? [...cells] : [...cells].reverse();
    return round.map((cell) => ({ cell, repeat }));
  });
}

function distinctCells(cells: readonly Cell[]): Cell[] {
  return [...new Map(cells.map((cell) => [cell.cell, cell])).values()];
}

function cellsOf(plan: CompletePlan, planned: PlannedTrial, index: number, workloads: Workloads): Cell[] {
  const path = `trials[${index}]`;
  const workload = workloadNamed(workloads, planned.workload, `${path}.workload`);
  const sweeps = Object.entries(planned.parameters).map(([name, written]) => {
    const field = `${path}.parameters.${name}`;
    const texts = Array.isArray(written) ? written.map(String) : String(written);
    return { name, texts: sweptValues(parameterSpec(workload, name, field), texts, field) };
  });
  const swept = sweeps.filter((sweep) => sweep.texts.length > 1).map((sweep) => sweep.name);
  return combinations(sweeps).flatMap((written) => {
    const read = readParameters(workload, written, plan.smoke, `${path}.parameters`);
    const workloadPlan = planOf(workload, read.values, written, path);
    return plan.targets.map((target) => ({
      cell: cellName(plan, workload.name, read.texts, target),
      target,
      workload,
      values: read.values,
      parameters: read.texts,
      numbers: read.numbers,
      swept,
      plan: workloadPlan,
      estimate: estimateTrial(workloadPlan),
    }));
  });
}

/** Every choice of one text for each name; the last name changes fastest. */
function combinations(
  sweeps: readonly { readonly name: string; readonly texts: readonly string[] }[],
): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const { name, texts } of sweeps) {
    all = all.flatMap((chosen) => texts.map((text) => ({ ...chosen, [name]: text })));
  }
  return all;
}

function planOf(
  workload: Workload,
  values: ParameterValues,
  written: Readonly<Record<string, string>>,
  path: string,
): WorkloadPlan {
  try {
    return workload.plan(values);
  } catch (error) {
    if (error instanceof AssertionError || !(error instanceof Error)) throw error;
    const choice = Object.entries(written).map(([name, text]) => `${name}=${text}`);
    const where = [workload.name, ...choice].join(' ');
    throw new UsageError(`${path} (${where}): ${error.message}`, { cause: error });
  }
}

function cellName(
  plan: CompletePlan,
  workload: string,
  texts: Readonly<Record<string, string>>,
  target: string,
): string {
  const identity = JSON.stringify([
    workload,
    Object.keys(texts)
      .toSorted((left, right) => (left < right ? -1 : 1))
      .map((name) => [name, texts[name]]),
    target,
    plan.client,
    plan.workers,
  ]);
  return `${workload}-${createHash('sha256').update(identity).digest('hex').slice(0, 10)}`;
}
