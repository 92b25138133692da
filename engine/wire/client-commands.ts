// What the load generator sends.
import type { ByteRange } from '../base/bytes.ts';
import { rangeBytes, writeLineEnd, writeRange, writeReply, type FrameWriter } from './frame-writer.ts';
import { utf8Bytes } from './utf8.ts';

/** `CONNECT {json}`. */
export function writeConnect(writer: FrameWriter, json: string): void {
  const bytes = utf8Bytes(json);
  writer.text('CONNECT ');
  writer.copy(bytes, 0, bytes.length);
  writeLineEnd(writer);
}

/** A publish's control line alone; `totalBytes` bytes (header and payload) and `writeLineEnd` follow. */
export function writePublishLine(
  writer: FrameWriter,
  subject: ByteRange,
  reply: ByteRange | null,
  headerBytes: number,
  totalBytes: number,
): void {
  writer.text(headerBytes > 0 ? 'HPUB ' : 'PUB ');
  writeRange(writer, subject);
  writeReply(writer, reply);
  if (headerBytes > 0) {
    writer.byte(32);
    writer.decimal(headerBytes);
  }
  writer.byte(32);
  writer.decimal(totalBytes);
  writeLineEnd(writer);
}

/** A whole PUB, or HPUB when there is a header block. An empty range counts as none. */
export function writePublish(
  writer: FrameWriter,
  subject: ByteRange,
  reply: ByteRange | null,
  header: ByteRange | null,
  payload: ByteRange | null,
): void {
  const headerBytes = rangeBytes(header);
  writePublishLine(writer, subject, reply, headerBytes, headerBytes + rangeBytes(payload));
  writeRange(writer, header);
  writeRange(writer, payload);
  writeLineEnd(writer);
}

/** `SUB <subject> [queue] <sid>`. */
export function writeSubscribe(
  writer: FrameWriter,
  subject: string,
  queue: string | null,
  sid: string,
): void {
  writer.text(queue === null ? `SUB ${subject} ${sid}\r\n` : `SUB ${subject} ${queue} ${sid}\r\n`);
}

/** `UNSUB <sid> [max]`; `max` 0 ends the subscription at once. */
export function writeUnsubscribe(writer: FrameWriter, sid: string, max: number): void {
  writer.text(max === 0 ? `UNSUB ${sid}\r\n` : `UNSUB ${sid} ${max}\r\n`);
}
