import { setTimeout as pause } from 'node:timers/promises';
import { Prng } from '../engine/base/prng.ts';
import { ConsumerDriver } from '../workloads/consumer-driver.ts';
import { PublisherDriver } from '../workloads/publisher-driver.ts';
import { addCounters, zeroCounters } from '../workloads/tally.ts';
import { assert } from '../engine/base/assert.ts';
import type { LoadClient, MemberContext } from './trial-client.ts';
import { TrialClock } from './trial-clock.ts';
import { TrialControl } from './trial-control.ts';
import { ErrorCounts } from './trial-errors.ts';
import type { LoadMember } from './trial-load.ts';
import { LoadLoop } from './trial-loop.ts';
import { phaseTimes } from './trial-share.ts';
import type { ShareResult, TrialShare } from './trial-share.ts';
import { ThreadWatch } from './trial-thread.ts';

const startPollMs = 2;

/**
 * Plays one share: connects, waits for the common start, keeps its drivers going until it is told to stop, and gives
 * their accounts. Runs in a worker or, for targets of this process, in the main thread.
 * @throws when a connection cannot be made; what breaks later is in the errors of the result
 */
export async function generateLoad(share: TrialShare, client: LoadClient): Promise<ShareResult> {
  const generator = new Generator(share, client);
  try {
    await generator.connect();
    await generator.run();
    return generator.result();
  } finally {
    generator.close();
  }
}

class Generator {
  readonly #share: TrialShare;
  readonly #client: LoadClient;
  readonly #control: TrialControl;
  readonly #clock = new TrialClock();
  readonly #errors = new ErrorCounts();
  readonly #publisherDrivers: PublisherDriver[];
  readonly #consumerDrivers: ConsumerDriver[];
  readonly #publishers: LoadMember[] = [];
  readonly #members: LoadMember[] = [];
  readonly #watch = new ThreadWatch();
  #use: ShareResult['use'] | null = null;
  #loop: LoadLoop | null = null;
  #isPublishedReported = false;
  #nextReportNs = 0;

  constructor(share: TrialShare, client: LoadClient) {
    this.#share = share;
    this.#client = client;
    this.#control = new TrialControl(share.control);
    const phases = phaseTimes(share.plan);
    const { publisher: publisherPlan, consumerWork } = share.plan;
    const root = new Prng(share.seed);
    this.#publisherDrivers = share.publishers.map((publisher) => {
      assert(publisherPlan !== null, 'publishers need a plan');
      return new PublisherDriver({
        plan: publisherPlan,
        publisher,
        prng: root.fork(`publisher ${publisher}`),
        phases,
      });
    });
    this.#consumerDrivers = share.consumers.map((consumer) => {
      assert(consumerWork !== null, 'consumers need a plan');
      return new ConsumerDriver({
        plan: consumerWork,
        consumer,
        prng: root.fork(`consumer ${consumer}`),
        phases,
      });
    });
  }

  async connect(): Promise<void> {
    const context: MemberContext = {
      share: this.#share,
      errors: this.#errors,
      nowNs: () => this.#clock.nowNs(),
      wakeBy: (atNs) => this.#loop?.wakeBy(atNs),
    };
    for (const driver of this.#publisherDrivers) {
      this.#publishers.push(await this.#client.publisher(driver, context));
    }
    this.#members.push(...this.#publishers);
    for (const driver of this.#consumerDrivers) {
      this.#members.push(await this.#client.consumer(driver, context));
    }
  }

  async run(): Promise<void> {
    this.#control.reportReady();
    let startHrtimeNs = this.#control.startHrtimeNs;
    while (startHrtimeNs === null) {
      if (this.#control.mustStop) return;
      await pause(startPollMs);
      startHrtimeNs = this.#control.startHrtimeNs;
    }
    this.#clock.setStart(startHrtimeNs);
    await this.#waitForStart();
    this.#watch.start();
    this.#loop = new LoadLoop(this.#clock, this.#members, (nowNs) => this.#isOver(nowNs));
    await this.#loop.run();
    this.#use = this.#watch.stop();
    this.#report();
  }

  result(): ShareResult {
    const nowNs = this.#clock.nowNs();
    return {
      publishers: this.#publisherDrivers.map((driver) => driver.finish(nowNs)),
      consumers: this.#consumerDrivers.map((driver) => driver.finish()),
      errors: this.#errors.toArray(),
      use: this.#use ?? { cpuNs: null, wallNs: 0, eventLoopDelayNsP99: 0, garbageCollectionNs: 0 },
    };
  }

  close(): void {
    for (const member of this.#members) member.close();
  }

  async #waitForStart(): Promise<void> {
    for (let nowNs = this.#clock.nowNs(); nowNs < 0; nowNs = this.#clock.nowNs()) {
      await pause(Math.max(0, Math.floor(-nowNs / 1e6) - 1));
    }
  }

  #isOver(nowNs: number): boolean {
    if (nowNs >= this.#nextReportNs) {
      this.#nextReportNs = nowNs + 1e8;
      this.#report();
    }
    if (this.#control.mustStopSending) for (const publisher of this.#publishers) publisher.stop();
    if (!this.#isPublishedReported && this.#publishers.every((publisher) => publisher.isDone(nowNs))) {
      this.#isPublishedReported = true;
      this.#control.reportPublished();
    }
    return this.#control.mustStop;
  }

  #report(): void {
    const sum = zeroCounters();
    for (const driver of [...this.#publisherDrivers, ...this.#consumerDrivers]) {
      for (const counters of driver.counters()) addCounters(sum, counters);
    }
    this.#control.report(this.#share.share, {
      sent: sum.sent,
      settled: sum.sent - sum.inFlight,
      delivered: sum.delivered,
    });
  }
}
