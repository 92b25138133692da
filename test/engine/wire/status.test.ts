import { expect, test } from 'vitest';
import { readHeaders } from '../../../engine/wire/message-headers.ts';
import {
  badRequestStatus,
  maxRequestBatchExceeded,
  maxRequestMaxBytesExceeded,
  maxRequestExpiresExceeded,
  pendingHeaders,
  statusBlock,
  statusLines,
  type StatusLine,
} from '../../../engine/wire/status.ts';

function text(block: Uint8Array): string {
  return new TextDecoder().decode(block);
}

test('no responders is exactly 16 bytes, or names the subject (A2)', () => {
  expect(text(statusBlock(statusLines.noResponders))).toBe('NATS/1.0 503\r\n\r\n');
  const named = statusBlock(statusLines.noResponders, [['Nats-Subject', 'nobody']]);
  expect(named).toHaveLength(32 + 'nobody'.length);
});

test('a timeout says what was left (spec 6.5)', () => {
  expect(text(statusBlock(statusLines.requestTimeout, pendingHeaders(2, 0)))).toBe(
    'NATS/1.0 408 Request Timeout\r\nNats-Pending-Messages: 2\r\nNats-Pending-Bytes: 0\r\n\r\n',
  );
});

test.each<[StatusLine, string]>([
  [
    badRequestStatus('heartbeat value too large'),
    'NATS/1.0 400 Bad Request - heartbeat value too large\r\n\r\n',
  ],
  [maxRequestBatchExceeded(10), 'NATS/1.0 409 Exceeded MaxRequestBatch of 10\r\n\r\n'],
  [maxRequestExpiresExceeded(90e9), 'NATS/1.0 409 Exceeded MaxRequestExpires of 1m30s\r\n\r\n'],
  [maxRequestMaxBytesExceeded(1024), 'NATS/1.0 409 Exceeded MaxRequestMaxBytes of 1024\r\n\r\n'],
])('%j', (status, block) => {
  expect(text(statusBlock(status))).toBe(block);
});

test('clients find the words they compare', () => {
  const words = Object.values(statusLines).map((status) => status.text.toLowerCase());
  expect(words).toEqual(
    expect.arrayContaining([
      'idle heartbeat',
      'flowcontrol request',
      'consumer deleted',
      'exceeded maxwaiting',
      'message size exceeds maxbytes',
      'eob',
    ]),
  );
});

test('every line comes back from its block', () => {
  for (const status of Object.values(statusLines)) {
    const block = statusBlock(status);
    const headers = readHeaders(block, 0, block.length);
    expect(headers).toMatchObject({ status: status.code, description: status.text });
  }
});
