import { Auditor } from '../workloads/audit.ts';
import type { Audit } from '../workloads/audit-findings.ts';
import type { ConsumerLedger } from '../workloads/consumer-ledger.ts';
import type { PublisherLedger } from '../workloads/publisher-ledger.ts';
import { readBack } from './read-back.ts';
import type { ReadBack, StoredVisitor } from './read-back.ts';
import { sentence } from './setup.ts';
import type { TrialGround } from './setup.ts';
import { Span } from './trial-rates.ts';
import { phaseTimes } from './trial-share.ts';
import type { WireConnection } from './wire/wire-connection.ts';

/** What the generators bring to the audit. */
export interface Accounts {
  readonly publishers: readonly PublisherLedger[];
  /** Null when nothing was published beforehand. */
  readonly preload: PublisherLedger | null;
  readonly consumers: readonly ConsumerLedger[];
  readonly isDrained: boolean;
  /** Why the accounts are not to be trusted; empty when they are. */
  readonly reasons: readonly string[];
}

export interface Judgement {
  readonly audit: Audit;
  readonly readBack: ReadBack;
  /** Stream timestamps of the messages that were first sent in the measured phase. */
  readonly storedSpan: Span;
}

/** Reads the stream back and holds it against what publishers were promised and consumers saw. */
export async function judge(
  accounts: Accounts,
  ground: TrialGround,
  connect: () => Promise<WireConnection>,
  epochSeconds: number,
): Promise<Judgement> {
  const { plan } = ground;
  const { publishers, consumers, preload } = accounts;
  const auditor = new Auditor({
    plan: plan.audit,
    publishers: preload === null ? publishers : [...publishers, preload],
    consumers,
  });
  const phases = phaseTimes(plan);
  const sentNs = new Map(publishers.map((ledger) => [ledger.publisher, ledger.sentNs]));
  const storedSpan = new Span();
  const read = await readOver(connect, ground, epochSeconds, (sequence, storedNs, id, crcRight) => {
    auditor.stored(sequence, storedNs, id.publisher, id.counter, crcRight);
    const firstSentNs = sentNs.get(id.publisher)?.[id.counter] ?? Number.NaN;
    const isMeasured = firstSentNs >= phases.warmupEndNs && firstSentNs < phases.measureEndNs;
    if (crcRight && id.attempt === 0 && isMeasured) storedSpan.note(storedNs);
  });
  const { messages, first, last } = read.reported;
  const audit = auditor.finish({
    reported: { messages, firstSequence: first, lastSequence: last },
    isReadComplete: read.isComplete,
    isDrained: accounts.isDrained,
    reasons: read.reason === '' ? accounts.reasons : [...accounts.reasons, read.reason],
  });
  return { audit, readBack: read, storedSpan };
}

async function readOver(
  connect: () => Promise<WireConnection>,
  ground: TrialGround,
  epochSeconds: number,
  visit: StoredVisitor,
): Promise<ReadBack> {
  let connection: WireConnection;
  try {
    connection = await connect();
  } catch (error) {
    const reported = { messages: 0, first: 0, last: 0 };
    return {
      readCount: 0,
      reported,
      isComplete: false,
      reason: `the target cannot be read back: ${sentence(error)}`,
    };
  }
  try {
    return await readBack(ground, connection, epochSeconds, visit);
  } finally {
    connection.close();
  }
}
