import type { ConsumerDriver } from '../workloads/consumer-driver.ts';
import type { PublisherDriver } from '../workloads/publisher-driver.ts';
import type { ErrorCounts } from './trial-errors.ts';
import type { LoadMember } from './trial-load.ts';
import type { TrialShare } from './trial-share.ts';

/** What a client needs to make a member of the load loop. */
export interface MemberContext {
  readonly share: TrialShare;
  readonly errors: ErrorCounts;
  readonly nowNs: () => number;
  readonly wakeBy: (atNs: number) => void;
}

/** Plays drivers over connections: the wire client, or the official one. */
export interface LoadClient {
  publisher(driver: PublisherDriver, context: MemberContext): Promise<LoadMember>;
  consumer(driver: ConsumerDriver, context: MemberContext): Promise<LoadMember>;
}
