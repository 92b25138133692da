import { setTimeout as pause } from 'node:timers/promises';
import { AssertionError } from '../engine/base/assert.ts';
import { Prng } from '../engine/base/prng.ts';
import type { MemorySample } from '../results/run.ts';
import type { ConsumerLedger } from '../workloads/consumer-ledger.ts';
import type { PublisherLedger } from '../workloads/publisher-ledger.ts';
import type { WorkloadPlan } from '../workloads/workload.ts';
import { playShares, threadCountFor } from './pool.ts';
import { TargetSampler } from './samplers.ts';
import { clearGround, prepareGround, sentence } from './setup.ts';
import type { TrialGround } from './setup.ts';
import type { OpenTarget } from './targets/target.ts';
import { connectTcp } from './transport-tcp.ts';
import { TrialClock } from './trial-clock.ts';
import { TrialControl } from './trial-control.ts';
import { connectionLost, ErrorCounts } from './trial-errors.ts';
import { judge } from './trial-judge.ts';
import type { Accounts, Judgement } from './trial-judge.ts';
import { preload } from './trial-preload.ts';
import type { Preload } from './trial-preload.ts';
import type { TrialProgress, TrialRequest } from './trial-request.ts';
import { dealOut } from './trial-share.ts';
import type { ShareResult, TrialShare } from './trial-share.ts';
import { watchTrial } from './trial-watch.ts';
import type { WatchEnd } from './trial-watch.ts';
import { openWire } from './wire/wire-client.ts';
import type { WireConnection } from './wire/wire-connection.ts';

// Time for threads to see the start, which all of them poll for.
const startDelayNs = 50_000_000n;
const connectTimeoutMs = 30_000;
const turnMs = 5;
const trialKeyLength = 8;

/** A trial under way, and all that is known of it afterwards. */
export class Trial {
  plan: WorkloadPlan;
  target: OpenTarget | null = null;
  ground: TrialGround | null = null;
  loaded: Preload | null = null;
  shares: readonly ShareResult[] = [];
  threadCount = 1;
  end: WatchEnd = { isDrained: false, wasAborted: false };
  /** When the load was over, in trial time. */
  endNs = 0;
  memory: readonly MemorySample[] = [];
  judgement: Judgement | null = null;
  /** Why it could not be carried out, or null. */
  failure: string | null = null;
  readonly errors = new ErrorCounts();
  readonly #request: TrialRequest;
  readonly #onProgress: (progress: TrialProgress) => void;
  readonly #clock = new TrialClock();
  readonly #epochSeconds = Math.floor(Date.now() / 1000);
  readonly #trialKey: string;
  #control: TrialControl | null = null;
  #areSharesBack = false;
  #broken: unknown = null;

  constructor(request: TrialRequest, onProgress: (progress: TrialProgress) => void) {
    this.#request = request;
    this.#onProgress = onProgress;
    this.plan = request.workload.plan(request.values);
    this.#trialKey = trialKeyOf(request);
  }

  get publishers(): PublisherLedger[] {
    return this.shares.flatMap((share) => share.publishers);
  }

  get consumers(): ConsumerLedger[] {
    return this.shares.flatMap((share) => share.consumers);
  }

  async play(): Promise<void> {
    try {
      this.#tell('open', this.#request.target.spec);
      this.target = await this.#request.target.open();
      await this.#playOn(this.target);
    } catch (error) {
      if (isBrokenContract(error)) throw error;
      this.failure ??= sentence(error);
    } finally {
      this.#control?.stop();
      if (this.ground !== null) await clearGround(this.ground);
      await this.target?.close();
    }
  }

  async #playOn(target: OpenTarget): Promise<void> {
    this.#tell('set up', 'stream and consumer');
    const ground = await prepareGround(target.url, `oncemark_${this.#trialKey}`, this.plan);
    this.ground = ground;
    this.plan = ground.plan;
    if (this.plan.preloadCount > 0) await this.#preload(target, ground);
    await this.#load(target, ground);
    this.#tell('read back', 'reading the stream');
    const connect = (): Promise<WireConnection> => this.#connect(target, 'reader');
    this.judgement = await judge(this.#accounts(), ground, connect, this.#epochSeconds);
  }

  #accounts(): Accounts {
    const { publishers, consumers, failure } = this;
    const lost = this.shares
      .flatMap((share) => share.errors)
      .filter(({ sentence: text }) => text.startsWith(connectionLost))
      .map(({ sentence: text }) => text);
    return {
      publishers,
      consumers,
      preload: this.loaded?.ledger ?? null,
      isDrained: this.end.isDrained,
      reasons: failure === null ? lost : [failure, ...lost],
    };
  }

  async #preload(target: OpenTarget, { plan, streamName }: TrialGround): Promise<void> {
    this.#tell('preload', `${plan.preloadCount} messages`);
    const { seed, signal } = this.#request;
    const connection = await this.#connect(target, 'preload');
    try {
      this.loaded = await preload({ plan, streamName, connection, seed, trialKey: this.#trialKey, signal });
      this.errors.add(this.loaded.errors);
    } finally {
      connection.close();
    }
  }

  async #load(target: OpenTarget, ground: TrialGround): Promise<void> {
    const isInProcess = target.connectInProcess !== null;
    const hands = dealOut(ground.plan, threadCountFor(this.#request.workerCount, isInProcess));
    const control = TrialControl.forShares(hands.length);
    this.#control = control;
    this.threadCount = hands.length;
    this.#clock.setStart(process.hrtime.bigint());
    const sampler = new TargetSampler(target.probes, this.#clock);
    try {
      await sampler.before();
      const shares = hands.map((hand, share): TrialShare => {
        return { ...this.#shareOf(target, ground, control), share, ...hand };
      });
      const playing = this.#play(shares, target);
      await this.#waitUntilReady(control);
      this.#start(control, sampler);
      this.end = await this.#watch(ground, control);
      control.stop();
      this.endNs = Math.max(0, this.#clock.nowNs());
      await playing;
      if (this.#broken !== null) throw this.#broken;
      this.memory = await sampler.after();
    } finally {
      sampler.stop();
    }
  }

  // Never rejects: a share that is lost is a reason to doubt the trial, and those that are not still count.
  async #play(shares: readonly TrialShare[], target: OpenTarget): Promise<void> {
    try {
      this.shares = await playShares(shares, target.connectInProcess);
    } catch (error) {
      if (isBrokenContract(error)) this.#broken = error;
      this.failure = `the load could not be made: ${sentence(error)}`;
    } finally {
      this.#areSharesBack = true;
      this.#control?.stop();
    }
  }

  async #waitUntilReady(control: TrialControl): Promise<void> {
    const deadline = performance.now() + connectTimeoutMs;
    while (control.readyCount < this.threadCount && !this.#areSharesBack && performance.now() < deadline) {
      await pause(turnMs);
    }
  }

  #start(control: TrialControl, sampler: TargetSampler): void {
    const startHrtimeNs = process.hrtime.bigint() + startDelayNs;
    this.#clock.setStart(startHrtimeNs);
    control.start(startHrtimeNs);
    sampler.start();
  }

  #watch(ground: TrialGround, control: TrialControl): Promise<WatchEnd> {
    return watchTrial({
      ground,
      control,
      clock: this.#clock,
      shareCount: this.threadCount,
      signal: this.#request.signal,
      areSharesBack: () => this.#areSharesBack,
      onProgress: this.#onProgress,
    });
  }

  #shareOf(
    target: OpenTarget,
    { plan, streamName, consumerName }: TrialGround,
    control: TrialControl,
  ): Omit<TrialShare, 'share' | 'publishers' | 'consumers'> {
    return {
      plan,
      streamName,
      consumerName,
      client: this.#request.client,
      seed: this.#request.seed,
      trialKey: this.#trialKey,
      url: target.url,
      host: target.host,
      port: target.port,
      epochSeconds: this.#epochSeconds,
      control: control.memory,
    };
  }

  #connect(target: OpenTarget, who: string): Promise<WireConnection> {
    const connect = target.connectInProcess ?? (() => connectTcp(target.host, target.port));
    return openWire(target.url, connect, `${this.#trialKey}${who}`);
  }

  #tell(phase: string, note: string): void {
    this.#onProgress({ phase, fraction: phase === 'read back' ? 1 : 0, note });
  }
}

// Names of streams, inboxes and message ids hang on it, so two trials on one server must not share it.
function trialKeyOf(request: TrialRequest): string {
  const prng = new Prng(`${request.runId}/${request.trial}/${request.seed}/${Date.now()}`);
  return Array.from({ length: trialKeyLength }, () => prng.int(0, 35).toString(36)).join('');
}

// An error that crossed threads has lost its class, but not the first line of its stack.
function isBrokenContract(error: unknown): boolean {
  if (error instanceof AssertionError) return true;
  return error instanceof Error && (error.stack ?? '').startsWith('AssertionError');
}
