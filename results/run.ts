// The one record that flows: runners append one line for each trial; compare, size and report only read it.

import { z } from 'zod';

export const schemaVersion = 1;

const count = z.number().int().nonnegative();
const nanos = z.number();

/** An HdrHistogram (3 digits, nanoseconds) in its compressed base64 form, with what a reader needs at once. */
const histogramSchema = z.strictObject({
  unit: z.literal('ns'),
  count,
  /** null when nothing was recorded (case C120). */
  min: nanos.nullable(),
  max: nanos.nullable(),
  mean: nanos.nullable(),
  /** Samples above the histogram's range, counted at its top (case C126). */
  overRange: count,
  encoded: z.string(),
});

const phaseNameSchema = z.enum(['warmup', 'measure', 'drain']);

/** Sums over all workers. sent = stored + duplicate + failed + unknown + inFlight (case C122). */
const countersSchema = z.strictObject({
  /** Publish attempts that left the generator. */
  sent: count,
  /** PubAcks that say a new message was stored. */
  stored: count,
  /** PubAcks that say `duplicate`. */
  duplicate: count,
  /** Attempts with a definite error. */
  failed: count,
  /** Attempts whose outcome nobody knows: time-outs, lost connections. */
  unknown: count,
  /** Attempts still open at the end of the phase; in the record of the whole trial, at its end. */
  inFlight: count,
  /** PubAcks that were received and thrown away on purpose. */
  lostAcksInjected: count,
  /** Second and later attempts of an id. */
  retries: count,
  /** Deliveries that reached a consumer. */
  delivered: count,
  /** Deliveries with a delivery count above 1. */
  redelivered: count,
  /** Messages acknowledged by consumers (sent), and of those the double acks that were confirmed. */
  acknowledged: count,
  acknowledgedConfirmed: count,
  payloadBytesSent: count,
  payloadBytesDelivered: count,
});

const phaseSchema = z.strictObject({
  name: phaseNameSchema,
  startNs: nanos, // since the start of the trial
  endNs: nanos,
  /** Operations that were due in it. */
  due: count,
  counters: countersSchema,
  histograms: z.strictObject({
    /** From the due moment to the PubAck. */
    response: histogramSchema.nullable(),
    /** From the send to the PubAck. */
    service: histogramSchema.nullable(),
    /** From the due moment to the send: the generator's own lateness. */
    lateness: histogramSchema.nullable(),
    /** From the due moment to the first delivery. */
    endToEnd: histogramSchema.nullable(),
  }),
});

const auditClassSchema = z.enum([
  'lost-acknowledged',
  'duplicate-stored-in-window',
  'duplicate-stored-after-window',
  'false-duplicate',
  'ack-sequence-mismatch',
  'aborted-visible',
  'unexpected',
  'corrupt-body',
  'reordered-in-store',
  'undelivered',
  'duplicate-delivered',
  'redelivered-after-confirmed-ack',
  'refused-resend',
  'count-mismatch',
]);

const findingSchema = z.strictObject({
  class: auditClassSchema,
  /** 'violation' fails the run; 'configuration' is the user's setting at work; 'information' is neither. */
  severity: z.enum(['violation', 'configuration', 'information']),
  count,
  /** At most 32, in words: which publisher and counter, which sequences, what gap. */
  examples: z.array(z.string()).max(32),
});

export const auditSchema = z.strictObject({
  verdict: z.enum(['valid', 'invalid', 'unknown']),
  /** Why unknown; empty otherwise. */
  reasons: z.array(z.string()),
  findings: z.array(findingSchema),
  totals: z.strictObject({
    attemptedIds: count,
    acknowledgedIds: count,
    /** Messages found when the stream was read back, and what the stream says of itself. */
    storedRead: count,
    storedReported: count,
    distinctIdsRead: count,
    duplicateFlagged: count,
    leakedInWindow: count,
    leakedAfterWindow: count,
    lost: count,
    reordered: count,
    unexpected: count,
    deliveredDistinct: count,
    deliveredDuplicates: count,
    redeliveries: count,
    refusedResends: count,
  }),
});

export const caveatSchema = z.strictObject({
  kind: z.string(),
  /** 'invalid': the trial's numbers must not be used. 'warning': to be read with care. */
  severity: z.enum(['invalid', 'warning']),
  /** What was seen, with its numbers, and the next step. */
  message: z.string(),
});

const memorySampleSchema = z.strictObject({
  atNs: nanos,
  residentBytes: count.nullable(),
  liveHeapBytes: count.nullable(),
  cpuFraction: z.number().nullable(), // of one core, since the sample before
  dedupEntries: count.nullable(),
  dedupBytes: count.nullable(),
});

export const environmentSchema = z.strictObject({
  id: z.string(), // digest of the rest: equal ids may be compared
  cpuModel: z.string(),
  coreCount: count,
  memoryBytes: count,
  platform: z.string(),
  kernel: z.string(),
  nodeVersion: z.string(),
  build: z.enum(['dist', 'source']),
  governor: z.string().nullable(),
  loadAverage: z.number(),
  gitCommit: z.string().nullable(),
});

export const runSchema = z.strictObject({
  schema: z.literal(schemaVersion),
  tool: z.strictObject({ name: z.literal('oncemark'), version: z.string() }),
  /** The run this trial belongs to, the cell (equal parameters and target) and its repeat, counted from 0. */
  runId: z.string(),
  cell: z.string(),
  repeat: count,
  trial: count,
  startedAt: z.string(), // RFC 3339
  durationNs: nanos,
  command: z.array(z.string()),
  seed: z.string(),
  environment: environmentSchema,
  target: z.strictObject({
    spec: z.string(),
    server: z.string(),
    version: z.string(),
    profile: z.string().nullable(),
    storage: z.string(),
    flags: z.array(z.string()),
  }),
  client: z.enum(['wire', 'nats.js']),
  workerCount: count,
  workload: z.strictObject({
    name: z.string(),
    /** Every parameter, as text with units, defaults included. */
    parameters: z.record(z.string(), z.string()),
    /** The same as numbers where it is one (rates per second, nanoseconds, bytes, fractions), for charts. */
    numbers: z.record(z.string(), z.number()),
    /** Names of the parameters that the plan swept. */
    swept: z.array(z.string()),
  }),
  phases: z.array(phaseSchema),
  totals: countersSchema,
  /** Messages a second over the measured phase, by our clock and by the stream's own timestamps; null where there is no rate. */
  rates: z.strictObject({
    offeredPerSecond: z.number().nullable(),
    achievedPerSecond: z.number().nullable(),
    streamPerSecond: z.number().nullable(),
    deliveredPerSecond: z.number().nullable(),
  }),
  audit: auditSchema,
  generator: z.strictObject({
    cpuFraction: z.number().nullable(),
    cpuNsPerMessage: nanos.nullable(),
    eventLoopDelayNsP99: nanos.nullable(),
    garbageCollectionNs: nanos.nullable(),
    keptUp: z.boolean(),
  }),
  memory: z.array(memorySampleSchema),
  caveats: z.array(caveatSchema),
  /** Interrupted before its end: kept, marked, never compared. */
  partial: z.boolean(),
  verdict: z.enum(['valid', 'violation', 'invalid', 'unknown']),
});

export type Run = z.infer<typeof runSchema>;
export type Phase = z.infer<typeof phaseSchema>;
export type Counters = z.infer<typeof countersSchema>;
export type Histogram = z.infer<typeof histogramSchema>;
export type Audit = z.infer<typeof auditSchema>;
export type AuditClass = z.infer<typeof auditClassSchema>;
export type Finding = z.infer<typeof findingSchema>;
export type Caveat = z.infer<typeof caveatSchema>;
export type MemorySample = z.infer<typeof memorySampleSchema>;
export type Environment = z.infer<typeof environmentSchema>;
