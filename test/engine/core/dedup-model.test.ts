// Both windows against a linear scan, by random commands: what they answer, hold and forget, and in which order.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { latin1Bytes, latin1Text } from '../../../engine/base/bytes.ts';
import { CompactDedupWindow } from '../../../engine/core/dedup-compact.ts';
import { MapDedupWindow } from '../../../engine/core/dedup-map.ts';
import type { DedupWindow } from '../../../engine/core/dedup-window.ts';

interface Entry {
  id: string;
  sequence: number;
  storedNs: number;
}

class LinearWindow {
  entries: Entry[] = [];
  windowNs = 10;
  nowNs = 0;
  lastNs = -Infinity;
  sequence = 0;

  find(id: string): number {
    const live = ({ storedNs }: Entry): boolean => this.nowNs - storedNs < this.windowNs;
    return this.entries.find((entry) => entry.id === id && live(entry))?.sequence ?? 0;
  }

  insert(id: string): void {
    this.entries.push({ id, sequence: this.sequence, storedNs: this.nowNs });
    this.lastNs = this.nowNs;
  }

  expire(nowNs: number, countMax: number): void {
    let count = 0;
    for (const { storedNs } of this.entries) {
      if (count === countMax || nowNs - storedNs < this.windowNs) break;
      count += 1;
    }
    this.entries = this.entries.slice(count);
  }
}

// All commands read their id from one array, as a server reads them from its socket's.
const shared = new Uint8Array(512);

function load(id: string): number {
  shared.set(latin1Bytes(id));
  return id.length;
}

type Command = fc.Command<LinearWindow, DedupWindow>;

class Publish implements Command {
  readonly id: string;
  readonly sequenceStep: number;
  /** Whether another id is looked for between this one's find and insert. */
  readonly between: string;
  constructor(id: string, sequenceStep: number, between: string) {
    this.id = id;
    this.sequenceStep = sequenceStep;
    this.between = between;
  }
  check(): boolean {
    return true;
  }
  run(model: LinearWindow, real: DedupWindow): void {
    const known = model.find(this.id);
    expect(real.find(shared, 0, load(this.id), model.nowNs)).toBe(known);
    if (this.between !== '') {
      expect(real.find(shared, 0, load(this.between), model.nowNs)).toBe(model.find(this.between));
    }
    if (known !== 0) return;
    model.sequence += this.sequenceStep;
    model.insert(this.id);
    real.insert(shared, 0, load(this.id), model.sequence, model.nowNs);
  }
  toString(): string {
    return `publish(${JSON.stringify(this.id)}, +${this.sequenceStep}, ${JSON.stringify(this.between)})`;
  }
}

class Wait implements Command {
  readonly nanos: number;
  constructor(nanos: number) {
    this.nanos = nanos;
  }
  check(): boolean {
    return true;
  }
  run(model: LinearWindow): void {
    model.nowNs += this.nanos;
  }
  toString(): string {
    return `wait(${this.nanos})`;
  }
}

class Expire implements Command {
  readonly countMax: number;
  constructor(countMax: number) {
    this.countMax = countMax;
  }
  check(): boolean {
    return true;
  }
  run(model: LinearWindow, real: DedupWindow): void {
    model.expire(model.nowNs, this.countMax);
    model.lastNs = model.nowNs;
    real.expire(model.nowNs, this.countMax);
  }
  toString(): string {
    return `expire(${this.countMax})`;
  }
}

class SetWindow implements Command {
  readonly windowNs: number;
  constructor(windowNs: number) {
    this.windowNs = windowNs;
  }
  check(): boolean {
    return true;
  }
  run(model: LinearWindow, real: DedupWindow): void {
    model.expire(model.lastNs, Infinity);
    model.windowNs = this.windowNs;
    real.setWindow(this.windowNs);
  }
  toString(): string {
    return `setWindow(${this.windowNs})`;
  }
}

class Compare implements Command {
  check(): boolean {
    return true;
  }
  run(model: LinearWindow, real: DedupWindow): void {
    const held: Entry[] = [];
    real.forEach((bytes, start, end, sequence, storedNs) => {
      held.push({ id: latin1Text(bytes, start, end), sequence, storedNs });
    });
    expect(held).toEqual(model.entries);
    expect(real.entryCount).toBe(model.entries.length);
    expect(real.nextExpiryNs()).toBe((model.entries[0]?.storedNs ?? Infinity) + model.windowNs);
  }
  toString(): string {
    return 'compare';
  }
}

const id = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '\u0000', '\u00ff'), minLength: 1, maxLength: 3 }),
  fc.constantFrom('x'.repeat(64), 'x'.repeat(65), `${'x'.repeat(64)}y`, 'z'.repeat(400)),
);
const between = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: id });
const sequenceStep = fc.oneof(
  { weight: 9, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 28 - 1, 2 ** 28, 2 ** 40) },
);
const nanos = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 28, 2 ** 35 - 1, 2 ** 35, 2 ** 41) },
);
const windowNs = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constantFrom(2 ** 36, 2 ** 43));
const publish = fc
  .tuple(id, sequenceStep, between)
  .map(([id, step, between]) => new Publish(id, step, between));
const commands = fc.commands(
  [
    publish,
    publish,
    publish,
    nanos.map((nanos) => new Wait(nanos)),
    fc.constantFrom(0, 1, 2, Infinity).map((countMax) => new Expire(countMax)),
    windowNs.map((windowNs) => new SetWindow(windowNs)),
    fc.constant(new Compare()),
  ],
  { size: 'large' },
);

const implementations: [string, () => DedupWindow][] = [
  ['map', () => new MapDedupWindow(10, 1)],
  ['compact', () => new CompactDedupWindow(10, 1)],
  ['compact, 8-bit hash (invariant D10)', () => new CompactDedupWindow(10, 1, { hashMask: 0xff })],
  ['compact, 1-bit hash', () => new CompactDedupWindow(10, 1, { hashMask: 1 << 31 })],
];

describe.each(implementations)('%s', (_, open) => {
  it('agrees with a linear scan', () => {
    fc.assert(
      fc.property(commands, (commands) => {
        const setup = (): { model: LinearWindow; real: DedupWindow } => ({
          model: new LinearWindow(),
          real: open(),
        });
        fc.modelRun(setup, commands);
      }),
      { numRuns: 100 },
    );
  });
});
