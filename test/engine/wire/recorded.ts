// What a reader of frames was told, as values that can be compared.
import { latin1Bytes, latin1Text, type ByteRange } from '../../../engine/base/bytes.ts';
import {
  ClientFrameReader,
  type FrameLimits,
  type PublishFrame,
} from '../../../engine/wire/client-frames.ts';
import { ServerFrameReader } from '../../../engine/wire/server-frames.ts';

export type FrameEvent = readonly (string | number | null)[];

export const limits: FrameLimits = { maxControlLine: 4096, maxPayload: 1_048_576 };

export function range(text: string): ByteRange {
  const bytes = latin1Bytes(text);
  return { bytes, start: 0, end: bytes.length };
}

function textOf(frame: PublishFrame, start: number, end: number): string {
  return latin1Text(frame.bytes, start, end);
}

/** A client's bytes, fed in these chunks. Publishes are [publish, subject, reply, header, payload]. */
export function clientEvents(
  chunks: Iterable<string>,
  frameLimits: FrameLimits = limits,
  headersAllowed: boolean = true,
): FrameEvent[] {
  const events: FrameEvent[] = [];
  const reader = new ClientFrameReader(
    {
      connect: (json) => events.push(['connect', json]),
      publish: (frame) =>
        events.push([
          'publish',
          textOf(frame, frame.subjectStart, frame.subjectEnd),
          textOf(frame, frame.replyStart, frame.replyEnd),
          textOf(frame, frame.headerStart, frame.payloadStart),
          textOf(frame, frame.payloadStart, frame.payloadEnd),
        ]),
      subscribe: (subject, queue, sid) => events.push(['subscribe', subject, queue, sid]),
      unsubscribe: (sid, max) => events.push(['unsubscribe', sid, max]),
      ping: () => events.push(['ping']),
      pong: () => events.push(['pong']),
      violation: (text) => events.push(['violation', text]),
    },
    frameLimits,
  );
  reader.headersAllowed = headersAllowed;
  for (const chunk of chunks) feedAndOverwrite(reader, chunk);
  return events;
}

/** A server's bytes. Messages are [message, subject, sid, reply, status, header, payload]. */
export function serverEvents(chunks: Iterable<string>, frameLimits: FrameLimits = limits): FrameEvent[] {
  const events: FrameEvent[] = [];
  const reader = new ServerFrameReader(
    {
      info: (json) => events.push(['info', json]),
      message: (frame) =>
        events.push([
          'message',
          textOf(frame, frame.subjectStart, frame.subjectEnd),
          textOf(frame, frame.sidStart, frame.sidEnd),
          textOf(frame, frame.replyStart, frame.replyEnd),
          frame.status,
          textOf(frame, frame.headerStart, frame.payloadStart),
          textOf(frame, frame.payloadStart, frame.payloadEnd),
        ]),
      ping: () => events.push(['ping']),
      pong: () => events.push(['pong']),
      ok: () => events.push(['ok']),
      error: (text) => events.push(['error', text]),
      violation: (text) => events.push(['violation', text]),
    },
    frameLimits,
  );
  for (const chunk of chunks) feedAndOverwrite(reader, chunk);
  return events;
}

// A socket's buffer is written over by its next read, so nothing may still point into it.
function feedAndOverwrite(reader: { feed(chunk: Uint8Array): void }, chunk: string): void {
  const bytes = latin1Bytes(chunk);
  reader.feed(bytes);
  bytes.fill(0x7e);
}

/** Cuts a text at these positions. */
export function cut(text: string, positions: readonly number[]): string[] {
  const sorted = [...new Set([0, ...positions, text.length])]
    .filter((at) => at <= text.length)
    .sort((a, b) => a - b);
  return sorted.slice(1).map((at, index) => text.slice(sorted[index], at));
}
