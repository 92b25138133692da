import { formatCount } from './format.ts';
import type { AuditClass } from './run.ts';

/** What the auditor's classes are called, for one and for many. */
const nouns: Readonly<Record<AuditClass, readonly [one: string, many: string]>> = {
  'lost-acknowledged': ['acknowledged message lost', 'acknowledged messages lost'],
  'duplicate-stored-in-window': ['id stored twice inside its window', 'ids stored twice inside their window'],
  'duplicate-stored-after-window': [
    'id stored again after its window',
    'ids stored again after their window',
  ],
  'false-duplicate': ['new message refused as a duplicate', 'new messages refused as duplicates'],
  'ack-sequence-mismatch': ['PubAck with a wrong sequence', 'PubAcks with a wrong sequence'],
  'aborted-visible': ['failed publish stored all the same', 'failed publishes stored all the same'],
  unexpected: ['message that nobody sent', 'messages that nobody sent'],
  'corrupt-body': ['message with a damaged body', 'messages with a damaged body'],
  'reordered-in-store': ['message stored out of order', 'messages stored out of order'],
  undelivered: ['message never delivered', 'messages never delivered'],
  'duplicate-delivered': ['message delivered more than once', 'messages delivered more than once'],
  'redelivered-after-confirmed-ack': [
    'message delivered again after its confirmed ack',
    'messages delivered again after their confirmed ack',
  ],
  'refused-resend': ['legitimate resend refused as a duplicate', 'legitimate resends refused as duplicates'],
  'count-mismatch': ['count that the stream contradicts', 'counts that the stream contradicts'],
};

/** "1 acknowledged message lost", "12 messages stored out of order". */
export function describeFinding(name: AuditClass, count: number): string {
  return `${formatCount(count)} ${nouns[name][count === 1 ? 0 : 1]}`;
}
