// What is printed before a run: what will be done, on what, and with which settings in effect (case C105).

import { formatBinaryBytes, formatDuration, plural } from '../../results/format.ts';
import type { Environment } from '../../results/run.ts';
import type { ConsumerSpec, StreamSpec } from '../../workloads/workload.ts';
import { consumerDefaults, planAdvice } from '../plan-advice.ts';
import type { CompletePlan, ResolvedTrial } from '../plan-resolve.ts';
import { formatDuration as exactDuration } from '../units.ts';

/** Sum of time, and the largest memory that any one trial needs. */
export function planEstimate(trials: readonly ResolvedTrial[]): { durationNs: number; memoryBytes: number } {
  return {
    durationNs: trials.reduce((sum, trial) => sum + trial.estimate.durationNs, 0),
    memoryBytes: trials.reduce((max, trial) => Math.max(max, trial.estimate.memoryBytes), 0),
  };
}

/** The lines above a run. */
export function runHead(
  plan: CompletePlan,
  trials: readonly ResolvedTrial[],
  environment: Environment,
): string[] {
  const estimate = planEstimate(trials);
  const cellCount = new Set(trials.map((trial) => trial.cell)).size;
  const time = formatDuration(Math.ceil(estimate.durationNs / 1e9) * 1e9);
  const shape = `${plural(cellCount, 'cell')} x ${plural(plan.repeats, 'repeat')} = ${plural(trials.length, 'trial')}`;
  const memory = environment.memoryBytes;
  return [
    `plan     ${plan.name}: ${shape}, about ${time}, up to ${formatBinaryBytes(estimate.memoryBytes)} of memory`,
    `targets  ${plan.targets.join(', ')}; client ${plan.client}, ${plural(plan.workers, 'worker')}, seed ${plan.seed}`,
    `machine  ${environment.cpuModel}, ${plural(environment.coreCount, 'core')}, ${formatBinaryBytes(memory)}, ` +
      `Node ${environment.nodeVersion}, environment ${environment.id}`,
    ...configurationLines(trials),
    ...adviceLines(trials),
  ];
}

/** Stream and consumer of each workload; a field that differs between cells shows all its values. */
export function configurationLines(trials: readonly ResolvedTrial[]): string[] {
  const names = [...new Set(trials.map((trial) => trial.workload.name))];
  return names.flatMap((name) => {
    const plans = trials.filter((trial) => trial.workload.name === name).map((trial) => trial.plan);
    const consumers = plans.flatMap((plan) =>
      plan.consumer === null ? [] : [effectiveConsumer(plan.consumer)],
    );
    const stream = fieldsText(plans.map((plan) => streamFields(plan.stream)));
    const lines = [`stream   ${name}: ${stream}`];
    if (consumers.length > 0) lines.push(`consumer ${name}: ${fieldsText(consumers)}`);
    return lines;
  });
}

/** The first sentence of each kind and workload, with how many cells more it is about. */
function adviceLines(trials: readonly ResolvedTrial[]): string[] {
  const found = new Map<string, { message: string; cells: Set<string> }>();
  for (const trial of trials) {
    for (const { kind, message } of planAdvice(trial.plan)) {
      const key = `${trial.workload.name} ${kind}`;
      const known = found.get(key) ?? { message: `${trial.workload.name}: ${message}`, cells: new Set() };
      found.set(key, { ...known, cells: known.cells.add(trial.cell) });
    }
  }
  return [...found.values()].map(({ message, cells }) => {
    const more = cells.size > 1 ? ` (and so in ${plural(cells.size - 1, 'more cell', 'more cells')})` : '';
    return `note     ${message}${more}`;
  });
}

type Fields = Readonly<Record<string, string>>;

function streamFields(stream: StreamSpec): Fields {
  return {
    retention: stream.retention,
    storage: stream.storage,
    duplicate_window: exactDuration(stream.duplicate_window),
    discard: stream.discard ?? 'old',
    max_msgs: limit(stream.max_msgs),
    max_bytes: limit(stream.max_bytes),
    max_age: stream.max_age === undefined ? 'none' : exactDuration(stream.max_age),
    replicas: String(stream.num_replicas ?? 1),
  };
}

/** What the server will use, its own defaults filled in. */
export function effectiveConsumer(consumer: ConsumerSpec): Fields {
  const fields: Record<string, string> = {
    ack_policy: consumer.ack_policy,
    ack_wait: exactDuration(consumer.ack_wait ?? consumerDefaults.ack_wait),
    max_deliver: String(consumer.max_deliver ?? consumerDefaults.max_deliver),
    max_ack_pending: String(consumer.max_ack_pending ?? consumerDefaults.max_ack_pending),
  };
  if (consumer.backoff !== undefined) fields['backoff'] = consumer.backoff.map(exactDuration).join(',');
  return fields;
}

function limit(value: number | undefined): string {
  return value === undefined || value < 0 ? 'none' : String(value);
}

function fieldsText(all: readonly Fields[]): string {
  const names = [...new Set(all.flatMap((fields) => Object.keys(fields)))];
  return names
    .map((name) => {
      const values = [...new Set(all.map((fields) => fields[name] ?? 'none'))];
      return `${name} ${values.length > 6 ? `${values.slice(0, 5).join(' | ')} | …` : values.join(' | ')}`;
    })
    .filter((text) => !text.endsWith(' none'))
    .join(', ');
}
