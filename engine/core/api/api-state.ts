import type { Nanos } from '../../base/nanos.ts';
import type { Consumer } from '../consumer.ts';
import type { EngineContext } from '../engine-context.ts';
import type { Stream } from '../stream.ts';
import type { StreamConfig } from '../stream-config.ts';

/** One call: `tokens` are those of the subject behind `$JS.API.`, `body` is the request as it came. */
export interface ApiRequest {
  readonly tokens: readonly string[];
  readonly body: Uint8Array;
}

/** What the API's calls read and change of the engine. */
export interface ApiState {
  readonly context: EngineContext;
  readonly streams: ReadonlyMap<string, Stream>;
  /** Time of the batch being applied, or of the last one. */
  readonly nowNs: Nanos;
  /** Changes whenever streams or consumers do: for caches outside. */
  generation: number;
  /** Pull requests waiting at a consumer: the leader's knowledge. */
  waitingCount: (consumer: Consumer) => number;
  addStream(config: StreamConfig): Stream;
  deleteStream(stream: Stream): void;
  /** The number for the next consumer; `registerConsumer` takes it. */
  readonly nextConsumerId: number;
  registerConsumer(consumer: Consumer): void;
  deleteConsumer(stream: Stream, consumer: Consumer): void;
}
