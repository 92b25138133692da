// JetStream's error table, as far as the engine answers with it (spec 8). It is in base because the core decides
// with it, the wire formats it, and the generator reads from it which failures are definite.

/** Status and text of one `err_code`; `{}` in the text stands for the one value that varies. */
export interface ApiErrorEntry {
  readonly status: number;
  readonly text: string;
}

const table = {
  10003: { status: 400, text: 'bad request' },
  10010: { status: 503, text: 'JetStream clustering support required' },
  10012: { status: 500, text: '{}' },
  10013: { status: 400, text: 'consumer name already in use' },
  10014: { status: 404, text: 'consumer not found' },
  10017: { status: 400, text: 'consumer name in subject does not match durable name in request' },
  10018: { status: 400, text: 'consumer expected to be durable but a durable name was not set' },
  10020: { status: 400, text: 'consumer expected to be ephemeral but a durable name was set in request' },
  10023: { status: 503, text: 'insufficient resources' },
  10025: { status: 400, text: 'invalid JSON: {}' },
  10026: { status: 400, text: 'maximum consumers limit reached' },
  10028: { status: 500, text: 'insufficient memory resources available' },
  10037: { status: 404, text: 'no message found' },
  10038: { status: 400, text: 'expected an empty request payload' },
  10039: { status: 503, text: 'JetStream not enabled for account' },
  10043: { status: 400, text: 'sequence {} not found' },
  10047: { status: 500, text: 'insufficient storage resources available' },
  10052: { status: 500, text: '{}' },
  10054: { status: 400, text: 'message size exceeds maximum allowed' },
  10055: { status: 400, text: 'stream mirror configuration can not be updated' },
  10056: { status: 400, text: 'stream name in subject does not match request' },
  10057: { status: 500, text: '{}' },
  10058: { status: 400, text: 'stream name already in use with a different configuration' },
  10059: { status: 404, text: 'stream not found' },
  10060: { status: 400, text: 'expected stream does not match' },
  10065: { status: 400, text: 'subjects overlap with an existing stream' },
  10070: { status: 400, text: 'wrong last msg ID: {}' },
  10071: { status: 400, text: 'wrong last sequence: {}' },
  10074: { status: 500, text: 'replicas > 1 not supported in non-clustered mode' },
  10077: { status: 503, text: '{}' },
  10084: { status: 400, text: 'consumer in pull mode requires explicit ack policy on workqueue stream' },
  10086: { status: 400, text: 'consumer in pull mode can not have rate limit set' },
  10088: { status: 400, text: 'consumer idle heartbeat requires a push based consumer' },
  10089: { status: 400, text: 'consumer flow control requires a push based consumer' },
  10094: { status: 400, text: '{}' },
  10095: { status: 400, text: 'failed to parse consumer sampling configuration: {}' },
  10097: { status: 400, text: 'header size exceeds maximum allowed of 64k' },
  10098: { status: 400, text: 'workqueue stream requires explicit ack' },
  10099: { status: 400, text: 'multiple non-filtered consumers not allowed on workqueue stream' },
  10100: { status: 400, text: 'filtered consumer not unique on workqueue stream' },
  10101: { status: 400, text: 'consumer must be deliver all on workqueue stream' },
  10102: { status: 400, text: 'consumer name is too long, maximum allowed is {}' },
  10105: { status: 400, text: 'consumer already exists and is still active' },
  10107: { status: 400, text: 'consumer description is too long, maximum allowed is {}' },
  10109: { status: 400, text: 'invalid operation on sealed stream' },
  10110: { status: 500, text: '{}' },
  10111: { status: 500, text: '{}' },
  10115: { status: 400, text: 'consumer max request expires needs to be >= 1ms' },
  10116: { status: 400, text: 'max deliver is required to be > length of backoff values' },
  10121: { status: 400, text: 'consumer max ack pending exceeds system limit of {}' },
  10125: { status: 400, text: 'consumer max request batch exceeds server limit of {}' },
  10126: { status: 400, text: 'consumer config replica count exceeds parent stream' },
  10127: { status: 400, text: 'Consumer name can not contain path separators' },
  10128: { status: 400, text: 'Stream name can not contain path separators' },
  10131: {
    status: 400,
    text: 'Consumer create request did not match filtered subject from create subject',
  },
  10132: { status: 400, text: 'Consumer Durable and Name have to be equal if both are provided' },
  10133: { status: 400, text: 'replicas count cannot be negative' },
  10135: { status: 400, text: 'consumer metadata exceeds maximum size of {}' },
  10136: { status: 400, text: 'consumer cannot have both FilterSubject and FilterSubjects specified' },
  10137: { status: 400, text: 'consumer with multiple subject filters cannot use subject based API' },
  10138: { status: 400, text: 'consumer subject filters cannot overlap' },
  10139: { status: 400, text: 'consumer filter in FilterSubjects cannot be empty' },
  10148: { status: 400, text: 'consumer already exists' },
  10149: { status: 400, text: 'consumer does not exist' },
  10153: { status: 400, text: 'consumer inactive threshold exceeds system limit of {}' },
  10166: { status: 400, text: 'per-message TTL is disabled' },
  10183: { status: 400, text: 'consumer ack wait needs to be positive' },
  10184: { status: 400, text: 'consumer backoff needs to be positive' },
  10193: { status: 400, text: 'missing sequence for expected last sequence per subject' },
} as const satisfies Record<number, ApiErrorEntry>;

export type ApiErrorCode = keyof typeof table;

/** Status and text of a code, with `detail` in the place that varies. */
export function apiError(code: ApiErrorCode, detail = ''): ApiErrorEntry {
  const entry = table[code];
  return { status: entry.status, text: entry.text.replace('{}', () => detail) };
}

/**
 * Whether a publish that was answered with this code is certainly not stored and never will be. The two that
 * are not definite say "the server does not know": temporarily unavailable, and an id still in process.
 */
export function isDefiniteFailure(code: number): boolean {
  return code !== 10008 && code !== 10158;
}
