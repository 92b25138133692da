import { officialClient } from './nats-client/official-client.ts';
import type { Transport } from './transport.ts';
import type { LoadClient } from './trial-client.ts';
import { wireClient } from './wire/wire-client.ts';

/** `connect` opens connections without a socket, which only the wire client can use. */
export function clientFor(client: 'wire' | 'nats.js', connect: (() => Transport) | null): LoadClient {
  return client === 'wire' ? wireClient(connect) : officialClient();
}
