import { jetstreamManager } from '@nats-io/jetstream';
import type { ConsumerConfig, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ConsumerSpec, StreamSpec, WorkloadPlan } from '../workloads/workload.ts';
import { splitCredentials } from './targets/credentials.ts';

/** What a trial finds on the target when it starts. */
export interface TrialGround {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly streamName: string;
  readonly consumerName: string | null;
  /** The plan with this trial's own subjects in it. */
  readonly plan: WorkloadPlan;
  /** One sentence for each setting that the server did not take over as asked. */
  readonly changes: readonly string[];
}

/** The target refused the stream or the consumer, or did not answer. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/** What the stream says of itself (STREAM.INFO). */
export interface StreamReport {
  readonly messages: number;
  readonly first: number;
  readonly last: number;
}

/** What the consumer says of itself. */
export interface ConsumerReport {
  readonly pending: number;
  readonly ackPending: number;
}

/**
 * Creates the stream and the consumer of one trial with the official client, under a name and subjects of their own,
 * and reads back what the server made of them.
 * @throws SetupError with the server's sentence
 */
export async function prepareGround(
  url: string,
  streamName: string,
  plan: WorkloadPlan,
): Promise<TrialGround> {
  const own = planWithSubjects(plan, streamName);
  const connection = await reach(url);
  try {
    const manager = await jetstreamManager(connection);
    const stream = await addStream(manager, streamName, own.stream);
    const consumer = await addConsumer(manager, streamName, own.consumer);
    return {
      connection,
      manager,
      streamName,
      consumerName: own.consumer?.durable_name ?? null,
      plan: own,
      changes: [...stream, ...consumer],
    };
  } catch (error) {
    await connection.close();
    throw new SetupError(`the target refused the trial's stream or consumer: ${sentence(error)}`, {
      cause: error,
    });
  }
}

/** Removes the stream, its consumer with it, and closes the connection. A target that is gone has nothing to remove. */
export async function clearGround(ground: TrialGround): Promise<void> {
  try {
    if (!ground.connection.isClosed()) await ground.manager.streams.delete(ground.streamName);
  } catch {
    // The target died or lost the stream: the record of the trial says so already.
  }
  await ground.connection.close();
}

export async function reportStream(ground: TrialGround): Promise<StreamReport> {
  const { state } = await ground.manager.streams.info(ground.streamName);
  return { messages: state.messages, first: state.first_seq, last: state.last_seq };
}

export async function reportConsumer(ground: TrialGround): Promise<ConsumerReport | null> {
  if (ground.consumerName === null) return null;
  const info = await ground.manager.consumers.info(ground.streamName, ground.consumerName);
  return { pending: info.num_pending, ackPending: info.num_ack_pending };
}

/** Every subject below the trial's own first token, so that two trials never meet. */
export function planWithSubjects(plan: WorkloadPlan, streamName: string): WorkloadPlan {
  const own = (subject: string): string => `${streamName}.${subject}`;
  return {
    ...plan,
    stream: { ...plan.stream, subjects: plan.stream.subjects.map(own) },
    publisher: plan.publisher === null ? null : { ...plan.publisher, subject: own(plan.publisher.subject) },
  };
}

async function reach(url: string): Promise<NatsConnection> {
  try {
    const { server, ...credentials } = splitCredentials(url);
    return await connect({
      servers: server,
      ...credentials,
      maxReconnectAttempts: 3,
      reconnectTimeWait: 200,
      timeout: 5000,
    });
  } catch (error) {
    throw new SetupError(`no NATS server answers at ${url}: ${sentence(error)}`, { cause: error });
  }
}

async function addStream(manager: JetStreamManager, name: string, spec: StreamSpec): Promise<string[]> {
  const config: Partial<StreamConfig> = { ...spec, name, subjects: [...spec.subjects] };
  const info = await manager.streams.add({ ...config, name });
  return changedSettings('stream', spec, info.config);
}

async function addConsumer(
  manager: JetStreamManager,
  streamName: string,
  spec: ConsumerSpec | null,
): Promise<string[]> {
  if (spec === null) return [];
  const { backoff, ...rest } = spec;
  const config: Partial<ConsumerConfig> = {
    ...rest,
    ...(backoff === undefined ? {} : { backoff: [...backoff] }),
  };
  const info = await manager.consumers.add(streamName, config);
  return changedSettings('consumer', spec, info.config);
}

/** Settings that came back otherwise than they were asked for. */
export function changedSettings(what: string, asked: object, effective: object): string[] {
  const answers = new Map<string, unknown>(Object.entries(effective));
  const changes: string[] = [];
  for (const [field, value] of Object.entries(asked)) {
    const answer = answers.get(field);
    // A server leaves out what is the default, and says -1 where 0 means "no limit".
    if (answer === undefined || (isUnlimited(value) && isUnlimited(answer))) continue;
    if (JSON.stringify(answer) === JSON.stringify(value)) continue;
    changes.push(
      `${what} ${field}: asked for ${JSON.stringify(value)}, the server has ${JSON.stringify(answer)}`,
    );
  }
  return changes;
}

function isUnlimited(value: unknown): boolean {
  return value === 0 || value === -1;
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
