import { assert } from '../../engine/base/assert.ts';
import type { ConsumerDriver } from '../../workloads/consumer-driver.ts';
import type { PublisherDriver } from '../../workloads/publisher-driver.ts';
import type { PublisherPlan } from '../../workloads/workload.ts';
import { splitCredentials } from '../targets/credentials.ts';
import { connectTcp } from '../transport-tcp.ts';
import type { Transport } from '../transport.ts';
import type { LoadClient, MemberContext } from '../trial-client.ts';
import type { LoadMember } from '../trial-load.ts';
import type { TrialShare } from '../trial-share.ts';
import { PublishFrames } from './publish-frames.ts';
import { ExactLanes, FifoLanes } from './reply-lanes.ts';
import type { ReplyLanes } from './reply-lanes.ts';
import { WireConnection } from './wire-connection.ts';
import { WireConsumer } from './wire-consumer.ts';
import { WirePublisher } from './wire-publisher.ts';

// Below the 512 subjects that nats-server caches for a connection, and prime: replies get lost in blocks of round numbers,
// and a loss of whole rounds would go unnoticed.
const sharedLaneCount = 509;

/** The client whose hot path is our own codec. `connect` is for targets inside this process. */
export function wireClient(connect: (() => Transport) | null): LoadClient {
  const open = (share: TrialShare, who: string): Promise<WireConnection> =>
    openWire(share.url, connect ?? (() => connectTcp(share.host, share.port)), `${share.trialKey}${who}`);
  return {
    async publisher(driver: PublisherDriver, context: MemberContext): Promise<LoadMember> {
      const { share } = context;
      const plan = share.plan.publisher;
      assert(plan !== null, 'a publisher needs a plan');
      const connection = await open(share, `p${driver.publisher}`);
      const frames = new PublishFrames({
        subject: plan.subject,
        inbox: connection.inbox,
        idHeader: plan.idHeader,
        idLength: plan.idLength,
        payloadBytes: plan.payloadBytes,
        publisher: driver.publisher,
        trialKey: share.trialKey,
        seed: share.seed,
      });
      const publisher = new WirePublisher({ connection, driver, frames, lanes: lanesFor(plan), ...context });
      await connection.roundTrip();
      return publisher;
    },
    async consumer(driver: ConsumerDriver, context: MemberContext): Promise<LoadMember> {
      const { share } = context;
      assert(share.consumerName !== null && share.plan.consumerWork !== null, 'a consumer needs a plan');
      const connection = await open(share, `c${driver.consumer}`);
      const consumer = new WireConsumer({
        connection,
        driver,
        stream: share.streamName,
        consumer: share.consumerName,
        prefetch: share.plan.consumerWork.prefetch,
        epochSeconds: share.epochSeconds,
        ...context,
      });
      await connection.roundTrip();
      return consumer;
    },
  };
}

/** A connection with the credentials of a target's address. */
export function openWire(url: string, connect: () => Transport, name: string): Promise<WireConnection> {
  const { user, pass, token } = splitCredentials(url);
  return WireConnection.open(connect(), {
    name,
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { password: pass }),
    ...(token === undefined ? {} : { token }),
  });
}

/** Lanes of their own wherever an attempt can go unanswered and be sent again; shared ones only for ceilings. */
export function lanesFor(plan: PublisherPlan): ReplyLanes {
  const isCeiling = plan.loop === 'closed' && plan.retry === null && plan.inFlightMax > sharedLaneCount;
  return isCeiling ? new FifoLanes(sharedLaneCount, plan.inFlightMax) : new ExactLanes();
}
