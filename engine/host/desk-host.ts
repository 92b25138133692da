import type { Nanos } from '../base/nanos.ts';
import type { EngineState } from '../core/engine-state.ts';
import type { Leader } from '../core/leader.ts';
import type { PublishFrame } from '../wire/client-frames.ts';
import type { Message } from './message-router.ts';

/** What the parts of JetStream that read requests need of the whole. */
export interface DeskHost {
  readonly state: EngineState;
  readonly leader: Leader;
  readonly nowNs: Nanos;
  /** Whether records wait to be committed. */
  readonly isPending: boolean;
  /** Commits the open batch when a record of that size no longer fits. */
  makeRoom(recordBytes: number): void;
  /** Notes where the answer to the record in `row` goes. */
  expectReply(row: number, frame: PublishFrame): void;
  commit(): void;
  /** Sends a message of the server's own. */
  send(message: Message): void;
}
