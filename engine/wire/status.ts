// The status messages a server sends in place of data (spec 1.4). Clients compare the words, so they are exact.
import { formatGoDuration } from './go-duration.ts';
import { headerBlock } from './message-headers.ts';

export interface StatusLine {
  readonly code: number;
  /** Empty for 503. */
  readonly text: string;
}

export const statusLines = {
  noResponders: { code: 503, text: '' },
  idleHeartbeat: { code: 100, text: 'Idle Heartbeat' },
  flowControl: { code: 100, text: 'FlowControl Request' },
  endOfBatch: { code: 204, text: 'EOB' },
  noMessages: { code: 404, text: 'No Messages' },
  messageNotFound: { code: 404, text: 'Message Not Found' },
  noResults: { code: 404, text: 'No Results' },
  requestTimeout: { code: 408, text: 'Request Timeout' },
  requestsPending: { code: 408, text: 'Requests Pending' },
  interestExpired: { code: 408, text: 'Interest Expired' },
  emptyRequest: { code: 408, text: 'Empty Request' },
  malformedRequest: { code: 408, text: 'Malformed Request' },
  directBadRequest: { code: 408, text: 'Bad Request' },
  maxWaitingExceeded: { code: 409, text: 'Exceeded MaxWaiting' },
  messageSizeExceedsMaxBytes: { code: 409, text: 'Message Size Exceeds MaxBytes' },
  batchCompleted: { code: 409, text: 'Batch Completed' },
  consumerDeleted: { code: 409, text: 'Consumer Deleted' },
  consumerIsPushBased: { code: 409, text: 'Consumer is push based' },
  leadershipChange: { code: 409, text: 'Leadership Change' },
  serverShutdown: { code: 409, text: 'Server Shutdown' },
  requiredApiLevel: { code: 412, text: 'Required Api Level' },
  tooManyResults: { code: 413, text: 'Too Many Results' },
  wrongPinId: { code: 423, text: 'Nats-Wrong-Pin-Id' },
  pinIdMismatch: { code: 423, text: 'Nats-Pin-Id mismatch' },
  tooManyRequests: { code: 429, text: 'Too Many Requests' },
} as const satisfies Record<string, StatusLine>;

/** 400 with the reason that `parsePullRequest` gave. */
export function badRequestStatus(reason: string): StatusLine {
  return { code: 400, text: `Bad Request - ${reason}` };
}

export function maxRequestBatchExceeded(batchMax: number): StatusLine {
  return { code: 409, text: `Exceeded MaxRequestBatch of ${batchMax}` };
}

export function maxRequestExpiresExceeded(expiresMaxNs: number): StatusLine {
  return { code: 409, text: `Exceeded MaxRequestExpires of ${formatGoDuration(expiresMaxNs)}` };
}

export function maxRequestMaxBytesExceeded(maxBytes: number): StatusLine {
  return { code: 409, text: `Exceeded MaxRequestMaxBytes of ${maxBytes}` };
}

/** The header block of a status message, with the extra headers that the table of spec 1.4 gives it. */
export function statusBlock(
  status: StatusLine,
  headers: readonly (readonly [string, string])[] = [],
): Uint8Array {
  return headerBlock(headers, status.text === '' ? String(status.code) : `${status.code} ${status.text}`);
}

/** What of a pull request was not delivered; several of the 408 and 409 statuses say it. */
export function pendingHeaders(
  messageCount: number,
  byteCount: number,
): readonly (readonly [string, string])[] {
  return [
    ['Nats-Pending-Messages', String(messageCount)],
    ['Nats-Pending-Bytes', String(byteCount)],
  ];
}
