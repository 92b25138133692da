// What must hold of any history, whatever the operations were. Each checker watches from outside: it gets what was
// seen, in order, and says in sentences what is wrong with it. Names are those of the reliability invariants: D about
// ids, S about the stream, K about consumers.

/** Something that was seen of a stream or a consumer. Consumers made anew have names of their own. */
export type Observation =
  | PublishSeen
  | DeliverySeen
  | {
      readonly type: 'settle';
      readonly how: 'one' | 'upTo';
      readonly consumer: string;
      readonly sequence: number;
      readonly atNs: number;
    }
  | {
      readonly type: 'nak';
      readonly consumer: string;
      readonly sequence: number;
      readonly delayNs: number;
      readonly atNs: number;
    }
  | { readonly type: 'progress'; readonly consumer: string; readonly sequence: number; readonly atNs: number }
  | StateSeen;

export interface PublishSeen {
  readonly type: 'publish';
  readonly answer: 'stored' | 'duplicate' | 'refused';
  readonly sequence: number;
  readonly id: string;
  /** Names the content; no two attempts share one. */
  readonly tag: string;
  readonly subject: string;
  readonly atNs: number;
  readonly windowNs: number;
}

interface DeliverySeen {
  readonly type: 'deliver';
  readonly consumer: string;
  readonly sequence: number;
  readonly consumerSequence: number;
  readonly deliveryCount: number;
  readonly atNs: number;
}

export interface StateSeen {
  readonly type: 'state';
  readonly atNs: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly windowNs: number;
  readonly idCount: number;
  /** Tags of what is stored, by sequence. */
  readonly stored: ReadonlyMap<number, string>;
  readonly consumers: readonly ConsumerSeen[];
}

export interface ConsumerSeen {
  readonly name: string;
  readonly filter: string;
  readonly waitsNs: readonly number[];
  readonly maxDeliver: number;
  readonly maxAckPending: number;
  readonly takesAcks: boolean;
  readonly delivered: { readonly consumer: number; readonly stream: number };
  readonly floor: { readonly consumer: number; readonly stream: number };
  readonly pendingSequences: readonly number[];
}

export type Checker = (history: readonly Observation[]) => string[];

function publishes(history: readonly Observation[]): PublishSeen[] {
  return history.filter((seen) => seen.type === 'publish');
}

function states(history: readonly Observation[]): StateSeen[] {
  return history.filter((seen) => seen.type === 'state');
}

/**
 * D1: an id is stored at most once in a window, counted from when it was stored. Where the window changes, the
 * shortest one since then counts: what a short window forgot stays forgotten when it grows.
 */
const atMostOnceAWindow: Checker = (history) => {
  const wrong: string[] = [];
  const held = new Map<string, { readonly atNs: number; shortestNs: number }>();
  for (const seen of history) {
    if (seen.type !== 'publish' && seen.type !== 'state') continue;
    for (const entry of held.values()) entry.shortestNs = Math.min(entry.shortestNs, seen.windowNs);
    if (seen.type !== 'publish' || seen.answer !== 'stored' || seen.id === '') continue;
    const { id, atNs, windowNs, sequence } = seen;
    const before = held.get(id);
    if (before !== undefined && atNs - before.atNs < before.shortestNs) {
      wrong.push(`D1: ${id} stored again at s${sequence} after ${atNs - before.atNs} ns`);
    }
    held.set(id, { atNs, shortestNs: windowNs });
  }
  return wrong;
};

/** D2: what was acknowledged as stored is what that attempt sent. */
const storedIsWhatWasSent: Checker = (history) => {
  const tags = new Map<number, string>();
  const wrong: string[] = [];
  for (const seen of history) {
    if (seen.type === 'publish' && seen.answer === 'stored') tags.set(seen.sequence, seen.tag);
    if (seen.type !== 'state') continue;
    for (const [sequence, tag] of seen.stored) {
      if (tags.get(sequence) !== tag) {
        wrong.push(`D2: s${sequence} holds ${tag}, acknowledged was ${tags.get(sequence)}`);
      }
    }
  }
  return wrong;
};

/** D3: a duplicate names a message of the same id, stored less than a window ago: no new message is swallowed. */
const duplicatesAreDuplicates: Checker = (history) => {
  const stored = new Map<number, PublishSeen>();
  const wrong: string[] = [];
  for (const seen of publishes(history)) {
    if (seen.answer === 'stored') stored.set(seen.sequence, seen);
    if (seen.answer !== 'duplicate') continue;
    const original = stored.get(seen.sequence);
    if (original === undefined || original.id !== seen.id) {
      wrong.push(`D3: ${seen.tag} is no duplicate of s${seen.sequence}`);
    } else if (seen.atNs - original.atNs >= seen.windowNs) {
      wrong.push(`D3: ${seen.tag} came ${seen.atNs - original.atNs} ns after s${seen.sequence}`);
    }
  }
  return wrong;
};

/** D6: with the window over, exactly or by more, the id is free. Holds for windows that never grew. */
const freeAtTheEdge: Checker = (history) => {
  const lastNs = new Map<string, number>();
  const wrong: string[] = [];
  for (const { answer, id, tag, atNs, windowNs } of publishes(history)) {
    const before = lastNs.get(id);
    if (answer === 'duplicate' && before !== undefined && atNs === before + windowNs) {
      wrong.push(`D6: ${tag} refused at the edge`);
    }
    if (answer === 'stored' && id !== '') lastNs.set(id, atNs);
  }
  return wrong;
};

/** D7: the ids held are those stored within the window. Only for histories whose window never changed. */
export const holdsOnlyLiveIds: Checker = (history) => {
  const stored = new Map<string, number>();
  const wrong: string[] = [];
  let windowNs = 0;
  for (const seen of history) {
    if (seen.type === 'publish') windowNs = seen.windowNs;
    if (seen.type === 'publish' && seen.answer === 'stored' && seen.id !== '') stored.set(seen.id, seen.atNs);
    if (seen.type !== 'state') continue;
    const live = [...stored.values()].filter((atNs) => seen.atNs - atNs < windowNs).length;
    if (seen.idCount !== live) wrong.push(`D7: ${seen.idCount} ids held at ${seen.atNs}, ${live} are live`);
  }
  return wrong;
};

/** S1: sequences are dense, rise by one, and never name two contents. */
const sequencesAreDense: Checker = (history) => {
  const fresh = publishes(history).filter(({ answer }) => answer === 'stored');
  const wrong = fresh
    .filter(({ sequence }, index) => sequence !== index + 1)
    .map(({ sequence, tag }) => `S1: ${tag} got s${sequence}`);
  for (const { lastSequence, atNs, stored } of states(history)) {
    const count = fresh.filter((seen) => seen.atNs <= atNs).length;
    if (lastSequence > count) wrong.push(`S1: last sequence ${lastSequence} after ${count} publishes`);
    if ([...stored.keys()].some((sequence) => sequence > lastSequence)) {
      wrong.push('S1: a message behind the last sequence');
    }
  }
  return wrong;
};

/** S5: the first sequence never falls. */
const firstNeverFalls: Checker = (history) => {
  const firsts = states(history).map(({ firstSequence }) => firstSequence);
  return firsts.flatMap((first, index) =>
    first < (firsts[index - 1] ?? 0) ? [`S5: first sequence fell to ${first}`] : [],
  );
};

/** K1: only matching messages are delivered, and none that the consumer is done with. */
const deliversWhatIsWanted: Checker = (history) => {
  const wrong: string[] = [];
  const subjects = new Map(
    publishes(history).map(({ sequence, answer, subject }) => [answer === 'stored' ? sequence : -1, subject]),
  );
  const filters = new Map(
    states(history).flatMap(({ consumers }) => consumers.map(({ name, filter }) => [name, filter])),
  );
  const delivered = new Map<string, Set<number>>();
  const done = new Set<string>();
  for (const seen of history) {
    if (seen.type === 'settle') {
      const isDone = (sequence: number): boolean =>
        seen.how === 'upTo' ? sequence <= seen.sequence : sequence === seen.sequence;
      const settled = [...(delivered.get(seen.consumer) ?? [])].filter(isDone);
      for (const sequence of settled) done.add(`${seen.consumer} s${sequence}`);
    }
    if (seen.type !== 'deliver') continue;
    const filter = filters.get(seen.consumer) ?? '';
    if (filter !== '' && subjects.get(seen.sequence) !== filter) {
      wrong.push(`K1: ${seen.consumer} got s${seen.sequence} of another subject`);
    }
    if (done.has(`${seen.consumer} s${seen.sequence}`)) {
      wrong.push(`K1: ${seen.consumer} got s${seen.sequence} after it was done`);
    }
    delivered.set(seen.consumer, (delivered.get(seen.consumer) ?? new Set()).add(seen.sequence));
  }
  return wrong;
};

/** K2: deliveries of a message count 1, 2, 3 and stop at the limit. K5 says the same of what the message tells. */
const deliveriesAreCounted: Checker = (history) => {
  const wrong: string[] = [];
  const limits = new Map(
    states(history).flatMap(({ consumers }) => consumers.map(({ name, maxDeliver }) => [name, maxDeliver])),
  );
  const counts = new Map<string, number>();
  for (const seen of history) {
    if (seen.type !== 'deliver') continue;
    const key = `${seen.consumer} s${seen.sequence}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const limit = limits.get(seen.consumer) ?? 0;
    if (seen.deliveryCount !== count) {
      wrong.push(`K2: delivery ${count} of ${key} says ${seen.deliveryCount}`);
    }
    if (limit > 0 && count > limit) wrong.push(`K2: delivery ${count} of ${key}, allowed are ${limit}`);
  }
  return wrong;
};

/** K3: the floor never falls, is not ahead of what was delivered, and nothing waits at or below it. */
const floorIsAFloor: Checker = (history) => {
  const wrong: string[] = [];
  const before = new Map<string, ConsumerSeen>();
  for (const { consumers } of states(history)) {
    for (const seen of consumers) {
      const { name, floor, delivered, pendingSequences } = seen;
      const old = before.get(name)?.floor ?? { consumer: 0, stream: 0 };
      if (floor.consumer < old.consumer || floor.stream < old.stream) {
        wrong.push(`K3: the floor of ${name} fell to s${floor.stream}`);
      }
      if (floor.consumer > delivered.consumer || floor.stream > delivered.stream) {
        wrong.push(`K3: the floor of ${name} is ahead`);
      }
      const below = pendingSequences.filter((sequence) => sequence <= floor.stream);
      if (below.length > 0) wrong.push(`K3: ${name} waits for s${below[0]} below its floor s${floor.stream}`);
      before.set(name, seen);
    }
  }
  return wrong;
};

/** K4: no redelivery before its time: the wait since the last delivery or progress, or what a NAK asked for. */
const redeliversInTime: Checker = (history) => {
  const wrong: string[] = [];
  const waits = new Map(
    states(history).flatMap(({ consumers }) => consumers.map(({ name, waitsNs }) => [name, waitsNs])),
  );
  const freeAtNs = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const seen of history) {
    if (seen.type !== 'deliver' && seen.type !== 'nak' && seen.type !== 'progress') continue;
    const key = `${seen.consumer} s${seen.sequence}`;
    const freeNs = freeAtNs.get(key);
    if (seen.type === 'deliver') {
      if (freeNs !== undefined && seen.atNs < freeNs) {
        wrong.push(`K4: ${key} again at ${seen.atNs}, due at ${freeNs}`);
      }
      counts.set(key, seen.deliveryCount);
    }
    const list = waits.get(seen.consumer) ?? [];
    const waitNs = list[Math.min(counts.get(key) ?? 1, list.length) - 1] ?? 0;
    const isWaiting = freeNs !== undefined && seen.atNs < freeNs;
    if (seen.type === 'deliver' || (seen.type === 'progress' && isWaiting)) {
      freeAtNs.set(key, seen.atNs + waitNs);
    }
    if (seen.type === 'nak' && isWaiting) freeAtNs.set(key, seen.atNs + seen.delayNs);
  }
  return wrong;
};

/** K7: no more wait for their ack than allowed, and no message twice. */
const pendingIsBounded: Checker = (history) =>
  states(history).flatMap(({ consumers }) =>
    consumers.flatMap(({ name, maxAckPending, pendingSequences, takesAcks }) => [
      ...(maxAckPending > 0 && pendingSequences.length > maxAckPending
        ? [`K7: ${name} waits for ${pendingSequences.length}, allowed are ${maxAckPending}`]
        : []),
      ...(new Set(pendingSequences).size < pendingSequences.length
        ? [`K7: ${name} waits for a message twice`]
        : []),
      ...(takesAcks || pendingSequences.length === 0 ? [] : [`K7: ${name} takes no acks and waits for some`]),
    ]),
  );

/** K8: first deliveries come in stream order. */
const firstDeliveriesInOrder: Checker = (history) => {
  const wrong: string[] = [];
  const last = new Map<string, number>();
  for (const seen of history) {
    if (seen.type !== 'deliver' || seen.deliveryCount > 1) continue;
    if (seen.sequence <= (last.get(seen.consumer) ?? 0)) {
      wrong.push(`K8: ${seen.consumer} got s${seen.sequence} late`);
    }
    last.set(seen.consumer, seen.sequence);
  }
  return wrong;
};

/** All that hold of any history. D7 asks for a window that never changed and is left out. */
export const invariants: Readonly<Record<string, Checker>> = {
  D1: atMostOnceAWindow,
  D2: storedIsWhatWasSent,
  D3: duplicatesAreDuplicates,
  D6: freeAtTheEdge,
  S1: sequencesAreDense,
  S5: firstNeverFalls,
  K1: deliversWhatIsWanted,
  K2: deliveriesAreCounted,
  K3: floorIsAFloor,
  K4: redeliversInTime,
  K7: pendingIsBounded,
  K8: firstDeliveriesInOrder,
};
