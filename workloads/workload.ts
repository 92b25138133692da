// What is done to a target, as values. Nothing here knows which target it is.

import type { Nanos } from '../engine/base/nanos.ts';

/** A random duration in nanoseconds. `maxNs` cuts the tail of those that have one. */
export type Distribution =
  | { readonly kind: 'fixed'; readonly valueNs: Nanos }
  | { readonly kind: 'uniform'; readonly minNs: Nanos; readonly maxNs: Nanos }
  | { readonly kind: 'exponential'; readonly meanNs: Nanos; readonly maxNs: Nanos }
  | { readonly kind: 'lognormal'; readonly medianNs: Nanos; readonly sigma: number; readonly maxNs: Nanos };

/** A stretch of constant rate. Rate 0 is a pause. */
export interface Stage {
  readonly ratePerSecond: number;
  readonly durationNs: Nanos;
}

/** How a parameter is written and read; runners parse the text, with units, into the value of the kind. */
export type ParameterKind =
  | 'rate' // number, messages a second
  | 'stages' // Stage[], written 1k/s@10s,5k/s@30s
  | 'duration' // number, nanoseconds
  | 'count' // number
  | 'bytes' // number
  | 'fraction' // number, 0 … 1, written 0.1 or 10%
  | 'choice' // string, one of `choices`
  | 'distribution'; // Distribution, written 20ms | uniform(1ms,5ms) | exponential(20ms) | lognormal(20ms,0.5)

export interface ParameterSpec {
  readonly kind: ParameterKind;
  /** One sentence, shown by `--help` and in the generated catalogue. */
  readonly doc: string;
  /** Text as a user would write it. */
  readonly default: string;
  /** Small enough for a test. */
  readonly smoke: string;
  readonly choices?: readonly string[];
}

export type ParameterValue = number | string | Distribution | readonly Stage[];
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/** A workload is a value: its parameters, and a pure function from their values to what is to be done. */
export interface Workload {
  readonly name: string;
  /** What question it answers, in one paragraph. */
  readonly doc: string;
  readonly parameters: Readonly<Record<string, ParameterSpec>>;
  plan(values: ParameterValues): WorkloadPlan;
}

/** JetStream stream configuration, field names and units of the API (durations in nanoseconds). */
export interface StreamSpec {
  readonly subjects: readonly string[];
  readonly retention: 'limits' | 'workqueue' | 'interest';
  readonly storage: 'memory' | 'file';
  readonly duplicate_window: Nanos;
  readonly max_msgs?: number;
  readonly max_bytes?: number;
  readonly max_age?: Nanos;
  readonly max_msgs_per_subject?: number;
  readonly discard?: 'old' | 'new';
  readonly discard_new_per_subject?: boolean;
  readonly num_replicas?: number;
}

/** JetStream pull consumer configuration. */
export interface ConsumerSpec {
  readonly durable_name: string;
  readonly ack_policy: 'explicit' | 'all' | 'none';
  readonly ack_wait?: Nanos;
  readonly max_deliver?: number;
  readonly max_ack_pending?: number;
  readonly backoff?: readonly Nanos[];
}

/** What the header of a publish carries: a message id, another header of exactly the same size, or none. */
export type IdHeader = 'message-id' | 'control' | 'none';

/** How long after an attempt, and how often, a publisher sends the same id again. */
export interface RetryPlan {
  /** Chance that the publisher never sees the PubAck of an attempt. */
  readonly lostAckProbability: number;
  readonly delay: Distribution;
  /** No attempt starts later than this after the first one (the retry horizon). */
  readonly horizonNs: Nanos;
  readonly attemptsMax: number;
}

export interface PublisherPlan {
  /** 'open': arrivals by the clock, whatever the target does. 'closed': as many as `inFlightMax` allows; for ceilings only. */
  readonly loop: 'open' | 'closed';
  readonly arrivals: 'fixed' | 'poisson';
  /** Rates are totals over all publishers. Closed loops use only the durations. */
  readonly stages: readonly Stage[];
  /** Closed loop: stop after this many first attempts over all publishers; 0 means when the stages are over. */
  readonly messageCount: number;
  readonly publisherCount: number;
  readonly subject: string;
  readonly payloadBytes: number;
  readonly idHeader: IdHeader;
  /** Characters of the message id. */
  readonly idLength: number;
  /** Open loop: reaching it makes the trial invalid. Closed loop: the window. */
  readonly inFlightMax: number;
  /** Sends that may be made at once to catch up after the generator was late. */
  readonly catchUpMax: number;
  readonly retry: RetryPlan | null;
}

export interface ConsumerPlan {
  readonly consumerCount: number;
  /** Messages that wait in the client, or are on their way to it, while the first is handled; pulls keep it topped up. */
  readonly prefetch: number;
  readonly handling: Distribution;
  readonly acknowledge: 'ack' | 'double-ack' | 'none';
  /** Chance that an ack is never sent although the message was handled. */
  readonly lostAckProbability: number;
  /** Chance that the consumer dies after handling and before the ack; its buffer is lost with it. */
  readonly crashProbability: number;
  readonly restartDelayNs: Nanos;
}

/** What the auditor may assume. */
export interface AuditPlan {
  readonly windowNs: Nanos;
  /** 'kept': every acknowledged message is still there at the end. 'removed-on-ack': acks remove it (work queue). 'limited': limits may. */
  readonly retention: 'kept' | 'removed-on-ack' | 'limited';
  /** Every message must reach a consumer before the end. */
  readonly mustBeDelivered: boolean;
  /** Message ids are sent, so a second copy inside the window is the server's fault. */
  readonly deduplicated: boolean;
  /** First copies must be stored in send order for each publisher. False where retries may be first copies. */
  readonly ordered: boolean;
}

export interface WorkloadPlan {
  readonly stream: StreamSpec;
  readonly consumer: ConsumerSpec | null;
  /** Messages published before the clock starts, not measured. */
  readonly preloadCount: number;
  /** Their body size where no publisher says it. */
  readonly preloadBytes?: number;
  readonly publisher: PublisherPlan | null;
  readonly consumerWork: ConsumerPlan | null;
  readonly warmupNs: Nanos;
  readonly measureNs: Nanos;
  /** Longest wait for what is still on its way after the last send. */
  readonly drainNs: Nanos;
  readonly audit: AuditPlan;
}
