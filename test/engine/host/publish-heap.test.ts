// Bodies, indexes and ids are never on the V8 heap (DESIGN D4, D5): what stays of a publish there is next to nothing.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';

import { publishText, VirtualBroker } from '../../support/virtual-broker.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it.each(['compact', 'map'])('100000 stored messages with ids, kept by %s', (dedup) => {
  const server = new VirtualBroker({ flags: { dedup } });
  const client = server.client();
  client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'], storage: 'memory' });
  let count = 0;
  const publish = (total: number): void => {
    for (const until = count + total; count < until;) {
      let frames = '';
      for (let left = 500; left > 0; left -= 1) {
        count += 1;
        frames += publishText('t.a', 'x'.repeat(64), { headers: { 'Nats-Msg-Id': `0123456789-${count}` } });
      }
      client.send(frames);
    }
  };
  publish(20_000);
  collect();
  const before = process.memoryUsage().heapUsed;
  publish(100_000);
  collect();
  const bytesPerMessage = (process.memoryUsage().heapUsed - before) / 100_000;
  expect(server.broker.jetstream?.state.streams.get('T')?.messageCount).toBe(120_000);
  if (dedup === 'compact') expect(bytesPerMessage).toBeLessThan(16);
  else expect(bytesPerMessage).toBeGreaterThan(32); // objects on the heap are what `map` is there to show
});
