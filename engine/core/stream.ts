// One stream: its messages in sequence, the limits on them, the ids it remembers, its consumers (spec 3, 5, 6.9).

import { assert } from '../base/assert.ts';
import { latin1Text } from '../base/bytes.ts';
import type { Nanos } from '../base/nanos.ts';
import { headerStart, publishAt, recordAt } from './batch.ts';
import { Consumer } from './consumer.ts';
import type { ConsumerConfig } from './consumer-config.ts';
import type { ConsumerEvents, ConsumerSource } from './consumer-contract.ts';
import { openDedupWindow } from './dedup.ts';
import type { DedupWindow } from './dedup-window.ts';
import type { EngineContext } from './engine-context.ts';
import { MessageIndex, slotOf } from './message-index.ts';
import type { Segment } from './message-log.ts';
import type { StreamConfig } from './stream-config.ts';
import { SubjectTable } from './subject-table.ts';

/** Where a stored message lies; one instance is reused. */
export interface MessagePlace {
  segment: Segment;
  offset: number;
  storedNs: Nanos;
}

/** Ids dropped in one go at most, so that a burst that expires together is no pause. */
const expireCountMax = 20_000;

export class Stream implements ConsumerSource {
  readonly id: number;
  readonly createdNs: Nanos;
  readonly subjects = new SubjectTable();
  readonly dedup: DedupWindow;
  readonly consumers = new Map<string, Consumer>();
  readonly #context: EngineContext;
  readonly #index = new MessageIndex();
  readonly #place: MessagePlace;
  #config: StreamConfig;
  #nowNs: Nanos;
  /** Id of the last message that was stored, once that message is gone; see `lastMessageId`. */
  #lastIdKept = '';
  messageCount = 0;
  byteCount = 0;
  firstSequence: number;
  lastSequence: number;
  lastStoredNs: Nanos = -1;
  #firstStoredNs: Nanos = -1;

  constructor(id: number, config: StreamConfig, context: EngineContext, createdNs: Nanos) {
    this.id = id;
    this.createdNs = createdNs;
    this.#nowNs = createdNs;
    this.#config = config;
    this.#context = context;
    this.#place = { segment: context.log.tail, offset: 0, storedNs: 0 };
    this.dedup = openDedupWindow(context.dedupKind, config.duplicate_window, context.hashSeed);
    this.lastSequence = (config.first_seq ?? 1) - 1;
    this.firstSequence = config.first_seq ?? 0;
  }

  get config(): StreamConfig {
    return this.#config;
  }

  // --- storing

  /** Stores the publish record at `offset` as the next sequence. Limits are the caller's next step. */
  store(segment: Segment, offset: number, nowNs: Nanos): number {
    const { view } = segment;
    const sequence = this.lastSequence + 1;
    const subjectEnd = headerStart(view, offset);
    const subjectId = this.subjects.intern(segment.bytes, offset + publishAt.subject, subjectEnd);
    const chunk = this.#index.append(sequence);
    const slot = slotOf(sequence);
    chunk.segment[slot] = segment.number;
    chunk.offset[slot] = offset;
    chunk.subjectId[slot] = subjectId;
    chunk.storedNs[slot] = nowNs;
    chunk.nextOnSubject[slot] = 0;
    chunk.liveCount += 1;
    this.#linkSubject(subjectId, sequence);
    segment.liveBytes += view.getUint32(offset + recordAt.length, true);
    if (this.messageCount === 0) {
      this.firstSequence = sequence;
      this.#firstStoredNs = nowNs;
    }
    this.messageCount += 1;
    this.#count(this.#accountedBytes(view, offset));
    this.lastSequence = sequence;
    this.lastStoredNs = nowNs;
    if (this.#config.max_age > 0) this.#context.timer(nowNs + this.#config.max_age);
    for (const consumer of this.consumers.values()) consumer.stored(sequence, subjectId);
    return sequence;
  }

  /** Uses up a sequence for a message that nobody is interested in (spec 3, interest retention). */
  skip(nowNs: Nanos): number {
    this.#keepLastId();
    this.lastSequence += 1;
    this.lastStoredNs = nowNs;
    if (this.messageCount === 0) this.firstSequence = this.lastSequence + 1;
    return this.lastSequence;
  }

  #linkSubject(subjectId: number, sequence: number): void {
    const { subjects } = this;
    const previous = subjects.lastSequence[subjectId] as number;
    const chunk = this.#index.append(sequence);
    chunk.previousOnSubject[slotOf(sequence)] = previous;
    if (previous === 0) subjects.firstSequence[subjectId] = sequence;
    else {
      const before = this.#index.chunk(previous);
      assert(before !== undefined, 'the last message of a subject is stored');
      before.nextOnSubject[slotOf(previous)] = sequence;
    }
    subjects.lastSequence[subjectId] = sequence;
    subjects.messageCount[subjectId] = (subjects.messageCount[subjectId] as number) + 1;
  }

  /** Bytes a message counts for, by storage type (spec 3, case C24). */
  #accountedBytes(view: DataView, offset: number): number {
    const headerBytes = view.getUint32(offset + publishAt.headerBytes, true);
    const content =
      view.getUint16(offset + publishAt.subjectBytes, true) +
      headerBytes +
      view.getUint32(offset + publishAt.payloadBytes, true);
    if (this.#config.storage === 'memory') return content + 16;
    return content + 30 + (headerBytes > 0 ? 4 : 0);
  }

  #count(byteCount: number): void {
    this.byteCount += byteCount;
    this.#context.usage[this.#config.storage] += byteCount;
  }

  /** What the publish record at `offset` would count for. */
  bytesOf(view: DataView, offset: number): number {
    return this.#accountedBytes(view, offset);
  }

  // --- reading

  /** The place of a stored message, or null. Only valid until the next call. */
  place(sequence: number): MessagePlace | null {
    const chunk = this.#index.chunk(sequence);
    const slot = slotOf(sequence);
    if (chunk === undefined || chunk.segment[slot] === 0) return null;
    this.#place.segment = this.#context.log.segment(chunk.segment[slot] as number);
    this.#place.offset = chunk.offset[slot] as number;
    this.#place.storedNs = chunk.storedNs[slot] as number;
    return this.#place;
  }

  has(sequence: number): boolean {
    return this.#index.has(sequence);
  }

  nextStored(sequence: number): number {
    if (this.messageCount === 0) return 0;
    return this.#index.nextStored(Math.max(sequence, this.firstSequence), this.lastSequence);
  }

  /** The first stored sequence whose message is not older than `sinceNs`, or 0. */
  firstSince(sinceNs: Nanos): number {
    let low = this.firstSequence;
    let high = this.lastSequence + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const stored = this.nextStored(middle);
      if (stored === 0 || this.#index.storedNs(stored) >= sinceNs) high = middle;
      else low = stored + 1;
    }
    return this.nextStored(low);
  }

  subjectIdOf(sequence: number): number {
    const chunk = this.#index.chunk(sequence);
    assert(chunk !== undefined, 'a stored message has a subject');
    return chunk.subjectId[slotOf(sequence)] as number;
  }

  subjectName(subjectId: number): string {
    return this.subjects.name(subjectId);
  }

  get firstStoredNs(): Nanos {
    return this.messageCount === 0 ? -1 : this.#firstStoredNs;
  }

  /** Id of the last stored message, '' when it had none: a property of the stream, not of the window (C17). */
  get lastMessageId(): string {
    const place = this.place(this.lastSequence);
    if (place === null) return this.#lastIdKept;
    const { view, bytes } = place.segment;
    const start = headerStart(view, place.offset) + view.getUint16(place.offset + publishAt.idOffset, true);
    return latin1Text(bytes, start, start + view.getUint16(place.offset + publishAt.idBytes, true));
  }

  #keepLastId(): void {
    if (this.has(this.lastSequence)) this.#lastIdKept = this.lastMessageId;
  }

  // --- removing

  /** Takes a message out; consumers stop waiting for it. False when it is not stored. */
  remove(sequence: number): boolean {
    const place = this.place(sequence);
    if (place === null) return false;
    if (sequence === this.lastSequence) this.#keepLastId();
    const { view } = place.segment;
    const recordBytes = view.getUint32(place.offset + recordAt.length, true);
    this.#count(-this.#accountedBytes(view, place.offset));
    const segmentNumber = place.segment.number;
    const subjectId = this.subjectIdOf(sequence);
    for (const consumer of this.consumers.values()) consumer.removed(sequence, subjectId, this.#nowNs);
    this.#unlinkSubject(subjectId, sequence);
    this.messageCount -= 1;
    this.#index.remove(sequence);
    if (sequence === this.firstSequence) this.#moveFirst();
    this.#context.log.adjustLive(segmentNumber, -recordBytes);
    return true;
  }

  #moveFirst(): void {
    if (this.messageCount === 0) {
      this.firstSequence = this.lastSequence + 1;
      return;
    }
    this.firstSequence = this.#index.nextStored(this.firstSequence + 1, this.lastSequence);
    this.#firstStoredNs = this.#index.storedNs(this.firstSequence);
  }

  #unlinkSubject(subjectId: number, sequence: number): void {
    const chunk = this.#index.chunk(sequence);
    assert(chunk !== undefined, 'a message to unlink is stored');
    const previous = chunk.previousOnSubject[slotOf(sequence)] as number;
    const next = chunk.nextOnSubject[slotOf(sequence)] as number;
    const before = previous === 0 ? undefined : this.#index.chunk(previous);
    if (before !== undefined) before.nextOnSubject[slotOf(previous)] = next;
    const behind = next === 0 ? undefined : this.#index.chunk(next);
    if (behind !== undefined) behind.previousOnSubject[slotOf(next)] = previous;
    const { subjects } = this;
    const first = previous === 0 ? next : (subjects.firstSequence[subjectId] as number);
    const last = next === 0 ? previous : (subjects.lastSequence[subjectId] as number);
    const isLastMessage = subjects.messageCount[subjectId] === 1;
    subjects.release(subjectId, first, last);
    if (isLastMessage) for (const consumer of this.consumers.values()) consumer.filter.forget(subjectId);
  }

  /** Removes from the front what is over a limit (discard old; spec 3, retention and limits). */
  enforceLimits(): void {
    while (this.#isOverLimit()) this.remove(this.firstSequence);
  }

  #isOverLimit(): boolean {
    const { max_msgs: countMax, max_bytes: bytesMax } = this.#config;
    return (countMax > 0 && this.messageCount > countMax) || (bytesMax > 0 && this.byteCount > bytesMax);
  }

  /** Removes the oldest messages of a subject that is over its limit. */
  enforceSubjectLimit(subjectId: number): void {
    const { max_msgs_per_subject: countMax } = this.#config;
    if (countMax <= 0) return;
    while ((this.subjects.messageCount[subjectId] as number) > countMax) {
      this.remove(this.subjects.firstSequence[subjectId] as number);
    }
  }

  /** Removes everything below `first`; the next message gets no lower sequence. Returns how many went. */
  purgeBelow(first: number): number {
    const before = this.messageCount;
    while (this.messageCount > 0 && this.firstSequence < first) this.remove(this.firstSequence);
    for (const consumer of this.consumers.values()) consumer.purgedBelow(this.firstSequence);
    return before - this.messageCount;
  }

  /** Removes matching messages, except the newest `keepCount` of them, below `first`. Returns how many went. */
  purgeSubjects(matches: (subjectId: number) => boolean, first: number, keepCount: number): number {
    const doomed: number[] = [];
    for (let at = this.nextStored(1); at !== 0; at = this.nextStored(at + 1)) {
      if (at < first && matches(this.subjectIdOf(at))) doomed.push(at);
    }
    doomed.length = Math.max(0, doomed.length - keepCount);
    for (const sequence of doomed) this.remove(sequence);
    return doomed.length;
  }

  // --- consumers

  addConsumer(id: number, config: ConsumerConfig, nowNs: Nanos): Consumer {
    const consumer: Consumer = new Consumer(id, config, this, this.#eventsOf(config.name), nowNs);
    this.consumers.set(config.name, consumer);
    return consumer;
  }

  /** Forgets a consumer; an interest stream lets go of what only it wanted (case C65). */
  deleteConsumer(name: string): void {
    this.consumers.delete(name);
    this.sweep();
  }

  /** Consumers or their filters changed: an interest stream keeps only what somebody still needs (spec 6.9). */
  sweep(): void {
    if (this.#config.retention !== 'interest') return;
    for (let at = this.nextStored(1); at !== 0; at = this.nextStored(at + 1)) this.#removeUnneeded(at);
  }

  /** Whether some consumer wants the subject, given as byte string. */
  hasInterest(subject: string): boolean {
    for (const consumer of this.consumers.values()) if (consumer.filter.matchesName(subject)) return true;
    return false;
  }

  #eventsOf(name: string): ConsumerEvents {
    const where = { stream: this.#config.name, consumer: name };
    const advise = (kind: string, type: string, fields: Record<string, string | number>): void => {
      this.#context.advise({
        subject: `CONSUMER.${kind}.${where.stream}.${name}`,
        type,
        fields: { ...where, ...fields },
      });
    };
    return {
      released: (sequence) => this.#released(sequence),
      timer: (dueNs) => this.#context.timer(dueNs),
      exhausted: (stream_seq, deliveries) =>
        advise('MAX_DELIVERIES', 'max_deliver', { stream_seq, deliveries }),
      negativelyAcknowledged: (stream_seq, consumer_seq, deliveries) =>
        advise('MSG_NAKED', 'nak', { consumer_seq, stream_seq, deliveries }),
      terminated: (stream_seq, consumer_seq, deliveries, reason) =>
        advise('MSG_TERMINATED', 'terminated', {
          consumer_seq,
          stream_seq,
          deliveries,
          ...(reason === '' ? {} : { reason }),
        }),
    };
  }

  #released(sequence: number): void {
    if (this.#config.retention === 'limits') return;
    if (this.#config.retention === 'workqueue') this.remove(sequence);
    else this.#removeUnneeded(sequence);
  }

  #removeUnneeded(sequence: number): void {
    if (!this.has(sequence)) return;
    const subjectId = this.subjectIdOf(sequence);
    for (const consumer of this.consumers.values()) if (consumer.needs(sequence, subjectId)) return;
    this.remove(sequence);
  }

  // --- configuration and time

  /** Takes over a checked configuration; tighter limits act at once, but only where old messages may go (C62). */
  reconfigure(config: StreamConfig): void {
    this.#config = config;
    this.dedup.expire(this.#nowNs, Number.POSITIVE_INFINITY);
    this.dedup.setWindow(config.duplicate_window);
    if (config.discard === 'old') this.enforceLimits();
    for (const subjectId of this.subjects.ids()) this.enforceSubjectLimit(subjectId);
    this.#context.timer(this.#nowNs);
  }

  /** Every apply tells the stream what time it is first; times never fall. */
  enter(nowNs: Nanos): void {
    this.#nowNs = nowNs;
  }

  /** Does what is due: ages out messages, forgets ids, moves unacknowledged deliveries to their queues. */
  runTimers(nowNs: Nanos): void {
    this.#nowNs = nowNs;
    const { max_age: maxAge } = this.#config;
    if (maxAge > 0) {
      while (this.messageCount > 0 && nowNs - this.#firstStoredNs >= maxAge) this.remove(this.firstSequence);
    }
    this.dedup.expire(nowNs, expireCountMax);
    for (const consumer of this.consumers.values()) consumer.runTimers(nowNs);
  }

  nextTimerNs(): Nanos {
    let dueNs = this.dedup.nextExpiryNs();
    const { max_age: maxAge } = this.#config;
    if (maxAge > 0 && this.messageCount > 0) dueNs = Math.min(dueNs, this.#firstStoredNs + maxAge);
    for (const consumer of this.consumers.values()) dueNs = Math.min(dueNs, consumer.nextTimerNs());
    return dueNs;
  }

  /** Lets go of everything it holds in the log. */
  close(): void {
    this.consumers.clear();
    while (this.messageCount > 0) this.remove(this.firstSequence);
  }
}
