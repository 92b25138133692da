import { expect, test } from 'vitest';
import { TrialClock } from '../../runners/trial-clock.ts';
import { LoadLoop } from '../../runners/trial-loop.ts';
import type { LoopMember } from '../../runners/trial-loop.ts';

class Ticker implements LoopMember {
  readonly steps: number[] = [];
  readonly #everyNs: number;
  readonly #count: number;

  constructor(everyNs: number, count: number) {
    this.#everyNs = everyNs;
    this.#count = count;
  }

  wakeNs(): number {
    return this.isDone() ? Infinity : this.steps.length * this.#everyNs;
  }

  step(nowNs: number): void {
    this.steps.push(nowNs);
  }

  isDone(): boolean {
    return this.steps.length === this.#count;
  }
}

function started(): TrialClock {
  const clock = new TrialClock();
  clock.setStart(process.hrtime.bigint());
  return clock;
}

test('members are stepped at their times, never early, until all are done', async () => {
  const fast = new Ticker(200_000, 20);
  const slow = new Ticker(5_000_000, 3);
  await new LoadLoop(started(), [fast, slow], () => false).run();
  for (const member of [fast, slow]) {
    const dueNs = member === fast ? 200_000 : 5_000_000;
    member.steps.forEach((atNs, index) => expect(atNs).toBeGreaterThanOrEqual(index * dueNs));
  }
  expect([fast.steps.length, slow.steps.length]).toEqual([20, 3]);
});

test('it ends when it is told to, whatever is left', async () => {
  const endless = new Ticker(1_000_000, Infinity);
  await new LoadLoop(started(), [endless], (nowNs) => nowNs > 5_000_000).run();
  expect(endless.steps.length).toBeGreaterThan(0);
});

test('work that comes in while it sleeps wakes it', async () => {
  const clock = started();
  let hasWork = false;
  let stepCount = 0;
  const member: LoopMember = {
    wakeNs: () => (hasWork ? 0 : Infinity),
    step: () => void (stepCount += 1),
    isDone: () => stepCount > 0,
  };
  const loop = new LoadLoop(clock, [member], () => false);
  const running = loop.run();
  setTimeout(() => {
    hasWork = true;
    loop.wakeBy(clock.nowNs());
  }, 2);
  await running;
  expect(stepCount).toBe(1);
});

test('what a member throws ends the loop', async () => {
  const broken: LoopMember = {
    wakeNs: () => 0,
    step: () => {
      throw new Error('broken');
    },
    isDone: () => false,
  };
  await expect(new LoadLoop(started(), [broken], () => false).run()).rejects.toThrow('broken');
});
