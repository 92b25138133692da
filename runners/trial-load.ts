import type { LoopMember } from './trial-loop.ts';

/** A publisher or a consumer of this thread, whichever client drives it. */
export interface LoadMember extends LoopMember {
  /** No new operations; what is open may still settle. */
  stop(): void;
  close(): void;
}
