// What happens to one publish at apply, in JetStream's order of checks (spec 4.3). A refused publish leaves
// nothing behind, its message id least of all (spec 4.4, cases C09, C74).

import { latin1Text } from '../base/bytes.ts';
import { headerValue } from '../base/header-scan.ts';
import type { Nanos } from '../base/nanos.ts';
import { headerStart, publishAt, publishFlag, recordAt } from './batch.ts';
import type { EngineContext } from './engine-context.ts';
import type { Segment } from './message-log.ts';
import { outcome, type Outcomes } from './outcomes.ts';
import type { Stream } from './stream.ts';

const headerBytesMax = 65_535;

/**
 * Applies the publish record at `offset` to its stream and notes what became of it in `row`. `idHash` is the hash of
 * the message id where it is known already, 0 otherwise.
 */
export function applyPublish(
  context: EngineContext,
  stream: Stream,
  segment: Segment,
  offset: number,
  nowNs: Nanos,
  outcomes: Outcomes,
  row: number,
  idHash: number,
): void {
  const { view, bytes } = segment;
  const idBytes = view.getUint16(offset + publishAt.idBytes, true);
  const headersStart = headerStart(view, offset);
  const idStart = headersStart + view.getUint16(offset + publishAt.idOffset, true);
  const hasControl = ((bytes[offset + recordAt.flags] as number) & publishFlag.hasControl) !== 0;
  const { config } = stream;
  if (hasControl || config.sealed) {
    const check = new PublishCheck(context, stream, segment, offset);
    const early = check.beforeDuplicate(nowNs, idStart, idBytes);
    if (early !== null) return note(outcomes, row, early);
  }
  const { dedup } = stream;
  const idEnd = idStart + idBytes;
  const hash = idBytes > 0 && idHash === 0 ? dedup.hashOf(bytes, idStart, idEnd) : idHash;
  if (idBytes > 0) {
    const original = dedup.find(bytes, idStart, idEnd, nowNs, hash);
    if (original > 0) return outcomes.set(row, outcome.duplicate, original);
  }
  const refused = refusal(context, stream, segment, offset, hasControl);
  if (refused !== null) return note(outcomes, row, refused);
  const isKept = !isUnwanted(stream, segment, offset);
  const sequence = isKept ? store(stream, segment, offset, nowNs) : stream.skip(nowNs);
  if (idBytes > 0) {
    dedup.insert(bytes, idStart, idEnd, sequence, nowNs, hash);
    context.timer(nowNs + config.duplicate_window);
  }
  if (hasControl && isKept) new PublishCheck(context, stream, segment, offset).afterStore(sequence);
  outcomes.set(row, outcome.stored, sequence);
}

function note(outcomes: Outcomes, row: number, refused: Refusal): void {
  outcomes.fail(row, refused.code, refused.detail);
}

interface Refusal {
  readonly code: number;
  readonly detail: string;
}

function refuse(code: number, detail = ''): Refusal {
  return { code, detail };
}

function store(stream: Stream, segment: Segment, offset: number, nowNs: Nanos): number {
  const { config } = stream;
  const sequence = stream.store(segment, offset, nowNs);
  if (config.max_msgs_per_subject > 0) stream.enforceSubjectLimit(stream.subjectIdOf(sequence));
  if (config.max_msgs > 0 || config.max_bytes > 0) stream.enforceLimits();
  return sequence;
}

// Nobody is interested: the sequence is used up, but nothing is stored, so nothing needs room (spec 4.3, row 18).
function isUnwanted(stream: Stream, segment: Segment, offset: number): boolean {
  if (stream.config.retention !== 'interest') return false;
  const start = offset + publishAt.subject;
  return !stream.hasInterest(latin1Text(segment.bytes, start, headerStart(segment.view, offset)));
}

function refusal(
  context: EngineContext,
  stream: Stream,
  segment: Segment,
  offset: number,
  hasControl: boolean,
): Refusal | null {
  const { view } = segment;
  const headerBytes = view.getUint32(offset + publishAt.headerBytes, true);
  const sizeMax = stream.config.max_msg_size;
  const check = hasControl ? new PublishCheck(context, stream, segment, offset) : null;
  const late = check?.afterDuplicate() ?? null;
  if (late !== null) return late;
  if (sizeMax > 0 && headerBytes + view.getUint32(offset + publishAt.payloadBytes, true) > sizeMax) {
    return refuse(10054);
  }
  if (headerBytes > headerBytesMax) return refuse(10097);
  if (isStorageFull(context, stream, segment, offset)) return refuse(10023);
  if (stream.config.discard === 'old') return null;
  if (isUnwanted(stream, segment, offset)) return null;
  const passes = context.profile.rollupPassesSubjectLimit && check !== null && check.isRollup();
  return passes ? null : full(stream, segment, offset);
}

/** The server as a whole has no room left for that type of storage (spec 4.3, row 17). */
function isStorageFull(context: EngineContext, stream: Stream, segment: Segment, offset: number): boolean {
  const { storage } = stream.config;
  const bytesMax = storage === 'memory' ? context.limits.maxMemoryBytes : context.limits.maxFileBytes;
  return bytesMax > 0 && context.usage[storage] + stream.bytesOf(segment.view, offset) > bytesMax;
}

/** Discard new: no room for the message (cases C09, C57 to C59). */
function full(stream: Stream, segment: Segment, offset: number): Refusal | null {
  const { config, subjects } = stream;
  const { view } = segment;
  const start = offset + publishAt.subject;
  const subjectId = subjects.findBytes(segment.bytes, start, headerStart(view, offset));
  const onSubject = subjectId < 0 ? 0 : (subjects.messageCount[subjectId] as number);
  const subjectIsFull = config.max_msgs_per_subject > 0 && onSubject >= config.max_msgs_per_subject;
  if (subjectIsFull && config.discard_new_per_subject === true) {
    return refuse(10077, 'maximum messages per subject exceeded');
  }
  // A full subject without that flag gives up its oldest message instead (case C57).
  if (subjectIsFull) return null;
  if (config.max_msgs > 0 && stream.messageCount >= config.max_msgs) {
    return refuse(10077, 'maximum messages exceeded');
  }
  if (config.max_bytes > 0 && stream.byteCount + stream.bytesOf(view, offset) > config.max_bytes) {
    return refuse(10077, 'maximum bytes exceeded');
  }
  return null;
}

/** The checks that `Nats-…` headers other than the message id ask for. Rare, so it may read text. */
class PublishCheck {
  readonly #context: EngineContext;
  readonly #stream: Stream;
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  readonly #subject: string;

  constructor(context: EngineContext, stream: Stream, segment: Segment, offset: number) {
    this.#context = context;
    this.#stream = stream;
    this.#bytes = segment.bytes;
    this.#start = headerStart(segment.view, offset);
    this.#end = this.#start + segment.view.getUint32(offset + publishAt.headerBytes, true);
    this.#subject = latin1Text(segment.bytes, offset + publishAt.subject, this.#start);
  }

  #header(name: string): string | null {
    if (this.#end === this.#start) return null;
    return headerValue(this.#bytes, this.#start, this.#end, name) || null; // an empty value is no value
  }

  beforeDuplicate(nowNs: Nanos, idStart: number, idBytes: number): Refusal | null {
    if (this.#stream.config.sealed) return refuse(10109);
    const expectedStream = this.#header('Nats-Expected-Stream');
    if (expectedStream !== null && expectedStream !== this.#stream.config.name) return refuse(10060);
    if (this.#context.profile.refusesTtl && this.#header('Nats-TTL') !== null) return refuse(10166);
    if (!this.#context.profile.duplicateBeforeExpectations) return this.#expectations();
    const isKnown =
      idBytes > 0 && this.#stream.dedup.find(this.#bytes, idStart, idStart + idBytes, nowNs) > 0;
    return isKnown ? null : this.#expectations();
  }

  #expectations(): Refusal | null {
    return this.#subjectExpectation() ?? this.#sequenceExpectation();
  }

  // The value is a stream sequence; 0 means there is no message on the subject yet (case C69).
  #subjectExpectation(): Refusal | null {
    const text = this.#header('Nats-Expected-Last-Subject-Sequence');
    const other = this.#context.profile.expectsOtherSubject
      ? this.#header('Nats-Expected-Last-Subject-Sequence-Subject')
      : null;
    if (text === null) return other === null ? null : refuse(10193);
    const subjectId = this.#stream.subjects.find(other ?? this.#subject);
    const actual = subjectId < 0 ? 0 : (this.#stream.subjects.lastSequence[subjectId] as number);
    return sequenceOf(text) === actual ? null : refuse(10071, String(actual));
  }

  #sequenceExpectation(): Refusal | null {
    const text = this.#header('Nats-Expected-Last-Sequence');
    const actual = this.#stream.lastSequence;
    return text === null || sequenceOf(text) === actual ? null : refuse(10071, String(actual));
  }

  afterDuplicate(): Refusal | null {
    const expectedId = this.#header('Nats-Expected-Last-Msg-Id');
    const actual = expectedId === null ? '' : this.#stream.lastMessageId;
    if (expectedId !== null && expectedId !== actual) return refuse(10070, actual);
    const rollup = this.#rollup();
    if (rollup === null) return null;
    const { config } = this.#stream;
    if (!config.allow_rollup_hdrs || config.deny_purge) return refuse(10111, 'rollup not permitted');
    return rollup === 'sub' || rollup === 'all' ? null : refuse(10111, `rollup value invalid: "${rollup}"`);
  }

  isRollup(): boolean {
    return this.#rollup() !== null;
  }

  #rollup(): string | null {
    return this.#header('Nats-Rollup')?.toLowerCase() ?? null;
  }

  /** A rollup purges what it replaces, after it was stored (spec 4.5, case C75). */
  afterStore(sequence: number): void {
    const rollup = this.#rollup();
    if (rollup === 'all') this.#stream.purgeBelow(sequence);
    if (rollup !== 'sub' || !this.#stream.has(sequence)) return;
    const subjectId = this.#stream.subjectIdOf(sequence);
    this.#stream.purgeSubjects((id) => id === subjectId, sequence, 0);
  }
}

// What does not parse matches nothing (spec 4.5).
function sequenceOf(text: string): number {
  return /^\d{1,16}$/.test(text) ? Number(text) : -1;
}
