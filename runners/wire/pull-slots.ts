import type { MessageFrame } from '../../engine/wire/server-frames.ts';
import type { WireConnection } from './wire-connection.ts';

// Long enough that re-asking costs nothing, short enough that a lost request is noticed within a trial.
const expiresNs = 2e9;
const graceNs = 2e9;

interface Slot {
  readonly inbox: string;
  readonly sid: number;
  remaining: number;
  askedNs: number;
}

/**
 * Pull requests of one consumer. Each open one has a subscription of its own, so that a delivery or a status belongs
 * to exactly one request, and few subjects are used again and again, which the server's caches like.
 */
export class PullSlots {
  readonly #connection: WireConnection;
  readonly #request: string;
  readonly #slotCount: number;
  readonly #deliver: (frame: MessageFrame) => void;
  readonly #ended: (status: number) => void;
  #slots: Slot[] = [];
  #generation = 0;

  /** `ended` is called with a status (0: no answer in time) when the last open request is over and was not filled. */
  constructor(
    connection: WireConnection,
    request: { readonly stream: string; readonly consumer: string; readonly slotCount: number },
    deliver: (frame: MessageFrame) => void,
    ended: (status: number) => void,
  ) {
    this.#connection = connection;
    this.#request = `PUB $JS.API.CONSUMER.MSG.NEXT.${request.stream}.${request.consumer}`;
    this.#slotCount = request.slotCount;
    this.#deliver = deliver;
    this.#ended = ended;
    this.open();
  }

  get hasFree(): boolean {
    return this.#slots.some((slot) => slot.remaining === 0);
  }

  get outstanding(): number {
    return this.#slots.reduce((sum, slot) => sum + slot.remaining, 0);
  }

  /** Subscribes under fresh subjects; what was asked for before is void. */
  open(): void {
    this.#generation += 1;
    for (let index = 0; index < this.#slotCount; index += 1) {
      const inbox = `${this.#connection.inbox}.p${this.#generation}.${index}`;
      const slot: Slot = {
        inbox,
        sid: this.#connection.subscribe(inbox, (frame) => this.#take(slot, frame)),
        remaining: 0,
        askedNs: 0,
      };
      this.#slots.push(slot);
    }
  }

  close(): void {
    for (const slot of this.#slots) this.#connection.unsubscribe(slot.sid);
    this.#slots = [];
  }

  /** Text of the request for `count` messages; the caller sends it. Needs a free slot. */
  ask(count: number, nowNs: number): string {
    const slot = this.#slots.find((candidate) => candidate.remaining === 0);
    if (slot === undefined) return '';
    slot.remaining = count;
    slot.askedNs = nowNs;
    const body = `{"batch":${count},"expires":${expiresNs}}`;
    return `${this.#request} ${slot.inbox} ${body.length}\r\n${body}\r\n`;
  }

  /** Gives up requests that the server has neither filled nor ended in time. */
  expire(nowNs: number): void {
    for (const slot of this.#slots) {
      if (slot.remaining > 0 && nowNs - slot.askedNs > expiresNs + graceNs) this.#end(slot, 0);
    }
  }

  #take(slot: Slot, frame: MessageFrame): void {
    if (frame.status === 0) {
      slot.remaining -= 1;
      this.#deliver(frame);
    } else if (frame.status !== 100) this.#end(slot, frame.status);
  }

  #end(slot: Slot, status: number): void {
    slot.remaining = 0;
    if (this.outstanding === 0) this.#ended(status);
  }
}
