import { rfc3339 } from '../base/nanos.ts';
import { utf8Bytes } from '../base/text.ts';
import type { EngineContext } from '../core/engine-context.ts';
import type { EngineState } from '../core/engine-state.ts';
import { textRange, wholeRange, type Message } from './message-router.ts';

/** Advisories as the messages they are published as (spec 2.7). */
export class AdvisoryDesk {
  readonly #context: EngineContext;
  readonly #nextId: () => string;

  constructor(context: EngineContext, nextId: () => string) {
    this.#context = context;
    this.#nextId = nextId;
  }

  /** Those of the last applied batch. */
  take(state: EngineState): Message[] {
    return state.advisories.map(({ subject, type, fields }) => {
      const body = {
        type: `io.nats.jetstream.advisory.v1.${type}`,
        id: this.#nextId(),
        timestamp: rfc3339(this.#context.epoch, state.nowNs),
        ...fields,
        ...(this.#context.domain === null ? {} : { domain: this.#context.domain }),
      };
      return {
        subject: textRange(`$JS.EVENT.ADVISORY.${subject}`),
        reply: null,
        header: null,
        payload: wholeRange(utf8Bytes(JSON.stringify(body))),
      };
    });
  }
}
