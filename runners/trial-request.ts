import type { Environment } from '../results/run.ts';
import type { ParameterValues, Workload } from '../workloads/workload.ts';
import type { Target } from './targets/target.ts';

/** One workload on one target with one set of parameters, once. */
export interface TrialRequest {
  readonly workload: Workload;
  /** Every parameter as text with units, defaults included; goes into the record as it is. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly values: ParameterValues;
  /** Those parameters that are numbers, for charts. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Names of the parameters that the plan swept. */
  readonly swept: readonly string[];
  readonly target: Target;
  readonly client: 'wire' | 'nats.js';
  /** Threads that generate load, at least 1. Targets inside this process are always loaded from its main thread. */
  readonly workerCount: number;
  readonly seed: string;
  readonly runId: string;
  readonly cell: string;
  readonly repeat: number;
  readonly trial: number;
  readonly command: readonly string[];
  readonly environment: Environment;
  /** Ends the trial early; what was measured until then comes back with `partial: true`. */
  readonly signal: AbortSignal;
}

export interface TrialProgress {
  readonly phase: string;
  /** Of the whole trial, 0 … 1. */
  readonly fraction: number;
  /** One line for people: rates so far, or what is waited for. */
  readonly note: string;
}
