// What an ack says: its body (spec 6.6). Where it goes is in ack-subject.ts.
import { latin1Bytes, latin1Text, sameBytes } from '../base/bytes.ts';
import type { Nanos } from '../base/nanos.ts';
import { isBlank } from './ascii.ts';
import { parseGoDuration } from './go-duration.ts';

export { emptyAckSubject, readAckSubject, writeAckSubject, type AckSubject } from './ack-subject.ts';

/** Numbers rather than texts, since every ack on the hot path has one. */
export const ackKinds = { ack: 0, nak: 1, progress: 2, term: 3, next: 4, ignored: 5 } as const;
type AckKind = (typeof ackKinds)[keyof typeof ackKinds];

export interface AckBody {
  kind: AckKind;
  /** Of a nak: 0 means due at once. */
  delayNs: Nanos;
  /** Of a term: why, as places in the bytes read; empty when not said. */
  reasonStart: number;
  reasonEnd: number;
  /** Of a next: the pull request that follows the ack. */
  requestStart: number;
  requestEnd: number;
}

export function emptyAckBody(): AckBody {
  return { kind: ackKinds.ack, delayNs: 0, reasonStart: 0, reasonEnd: 0, requestStart: 0, requestEnd: 0 };
}

const ackText = latin1Bytes('+ACK');
const okText = latin1Bytes('+OK');
const progressText = latin1Bytes('+WPI');
const nakText = latin1Bytes('-NAK');
const nextText = latin1Bytes('+NXT');
const termText = latin1Bytes('+TERM');

/** Reads an ack's payload. Nothing is wrong here: what means nothing is of kind `ignored`. */
export function readAckBody(bytes: Uint8Array, start: number, end: number, out: AckBody): void {
  out.delayNs = 0;
  out.reasonStart = end;
  out.reasonEnd = end;
  out.requestStart = end;
  out.requestEnd = end;
  out.kind = ackKind(bytes, start, end);
  if (out.kind === ackKinds.nak) {
    out.delayNs = nakDelayNs(bytes, start + nakText.length, end);
  } else if (out.kind === ackKinds.term) {
    out.reasonStart = skipBlanks(bytes, start + termText.length, end);
    out.reasonEnd = trimmedEnd(bytes, out.reasonStart, end);
  } else if (out.kind === ackKinds.next) {
    out.requestStart = skipBlanks(bytes, start + nextText.length, end);
    out.requestEnd = trimmedEnd(bytes, out.requestStart, end);
  }
}

function ackKind(bytes: Uint8Array, start: number, end: number): AckKind {
  const count = end - start;
  if (count === 0) return ackKinds.ack;
  if (count === ackText.length && startsWith(bytes, start, end, ackText)) return ackKinds.ack;
  if (count === okText.length && startsWith(bytes, start, end, okText)) return ackKinds.ack;
  if (count === progressText.length && startsWith(bytes, start, end, progressText)) return ackKinds.progress;
  if (startsWith(bytes, start, end, nakText)) return ackKinds.nak;
  if (startsWith(bytes, start, end, nextText)) return ackKinds.next;
  if (startsWith(bytes, start, end, termText)) return ackKinds.term;
  return ackKinds.ignored;
}

function startsWith(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  return end - start >= text.length && sameBytes(bytes, start, text, 0, text.length);
}

// A value that cannot be read makes a plain nak (spec 6.6).
function nakDelayNs(bytes: Uint8Array, start: number, end: number): Nanos {
  if (start === end) return 0;
  const text = latin1Text(bytes, start, end).trim();
  const delayNs = text.startsWith('{') ? jsonDelayNs(text) : parseGoDuration(text);
  return delayNs > 0 ? delayNs : 0;
}

function jsonDelayNs(text: string): Nanos {
  try {
    const { delay } = JSON.parse(text) as { readonly delay?: unknown };
    return typeof delay === 'number' && Number.isInteger(delay) ? delay : 0;
  } catch {
    return 0;
  }
}

function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(bytes[at] as number)) at += 1;
  return at;
}

function trimmedEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(bytes[at - 1] as number)) at -= 1;
  return at;
}
