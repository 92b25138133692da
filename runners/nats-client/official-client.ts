import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { assert } from '../../engine/base/assert.ts';
import { splitCredentials } from '../targets/credentials.ts';
import type { LoadClient } from '../trial-client.ts';
import type { TrialShare } from '../trial-share.ts';
import { OfficialConsumer } from './official-consumer.ts';
import { OfficialPublisher } from './official-publisher.ts';

/**
 * The client that users run, driven by the same drivers as the wire client: the independent check of it. Its own
 * ceiling is 30 to 45 thousand publishes a second, so it measures itself long before it measures a server.
 */
export function officialClient(): LoadClient {
  return {
    async publisher(driver, context) {
      const connection = await openOfficial(context.share, `p${driver.publisher}`);
      const plan = context.share.plan.publisher;
      assert(plan !== null, 'a publisher needs a plan');
      return new OfficialPublisher({ connection, client: jetstream(connection), driver, plan, ...context });
    },
    async consumer(driver, context) {
      const { share } = context;
      assert(share.consumerName !== null, 'a consumer needs a plan');
      const connection = await openOfficial(share, `c${driver.consumer}`);
      const consumer = await jetstream(connection).consumers.get(share.streamName, share.consumerName);
      return new OfficialConsumer({ connection, consumer, driver, ...context });
    },
  };
}

function openOfficial(share: TrialShare, who: string): Promise<NatsConnection> {
  const { server, ...credentials } = splitCredentials(share.url);
  return connect({ servers: server, ...credentials, name: `${share.trialKey}${who}`, reconnect: false });
}
