// Core NATS: finds who is behind a subject and writes messages to clients (spec 1.3).

import { latin1Bytes, type ByteRange } from '../base/bytes.ts';
import type { Prng } from '../base/prng.ts';
import {
  endMessageLine,
  startMessageLine,
  writeRange,
  writeReply,
  writeLineEnd,
  rangeBytes,
} from '../wire/frame-writer.ts';
import { routeOf, type ClientSubscription, type Receiver, type Route, type Subscriber } from './route.ts';
import { SubjectRouter } from './subject-router.ts';

/** A message on its way; ranges may lie in different arrays. Instances are reused. */
export interface Message {
  subject: ByteRange;
  reply: ByteRange | null;
  header: ByteRange | null;
  payload: ByteRange | null;
}

export class MessageRouter {
  readonly #subjects = new SubjectRouter<Subscriber, Route>(routeOf);
  readonly #prng: Prng;
  messagesOut = 0;
  bytesOut = 0;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  get subscriptionCount(): number {
    return this.#subjects.subscriptionCount;
  }

  add(pattern: string, queue: string | null, subscriber: Subscriber): void {
    this.#subjects.add(pattern, queue, subscriber);
  }

  remove(pattern: string, queue: string | null, subscriber: Subscriber): void {
    this.#subjects.remove(pattern, queue, subscriber);
  }

  route(bytes: Uint8Array, start: number, end: number): Route {
    return this.#subjects.route(bytes, start, end);
  }

  routeText(subject: string): Route {
    return this.#subjects.matches(subject);
  }

  /** Whether a client listens: what keeps a pull request alive (spec 6.5). */
  hasClient(bytes: Uint8Array): boolean {
    const route = this.route(bytes, 0, bytes.length);
    return route.clients.length > 0 || route.groups.length > 0;
  }

  /** Copies the message to every client behind the route, one of each queue group. Returns how many got it. */
  deliver(route: Route, message: Message, from: Receiver | null): number {
    let count = 0;
    for (const subscription of route.clients) if (this.#give(subscription, message, from)) count += 1;
    for (const members of route.groups) {
      const chosen = members.length === 1 ? 0 : this.#prng.int(0, members.length - 1);
      for (let index = 0; index < members.length; index += 1) {
        const member = members[(chosen + index) % members.length] as ClientSubscription;
        if (!this.#give(member, message, from)) continue;
        count += 1;
        break;
      }
    }
    return count;
  }

  #give(subscription: ClientSubscription, message: Message, from: Receiver | null): boolean {
    const { connection } = subscription;
    if (connection.isClosed || (from === connection && !connection.echo)) return false;
    if (!connection.admitDelivery(subscription)) return false;
    const header = connection.headers ? message.header : null;
    const headerBytes = rangeBytes(header);
    const totalBytes = headerBytes + rangeBytes(message.payload);
    const { writer } = connection;
    startMessageLine(writer, headerBytes > 0, message.subject, subscription.sidBytes);
    writeReply(writer, message.reply);
    endMessageLine(writer, headerBytes, totalBytes);
    writeRange(writer, header);
    writeRange(writer, message.payload);
    writeLineEnd(writer);
    this.countOut(totalBytes);
    connection.wrote();
    return true;
  }

  /** Counts a message that was written for a client. */
  countOut(byteCount: number): void {
    this.messagesOut += 1;
    this.bytesOut += byteCount;
  }
}

/** A range over a whole text, for subjects that the server makes. */
export function textRange(text: string): ByteRange {
  const bytes = latin1Bytes(text);
  return { bytes, start: 0, end: bytes.length };
}

export function wholeRange(bytes: Uint8Array): ByteRange {
  return { bytes, start: 0, end: bytes.length };
}
