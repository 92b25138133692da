// Is this machine fit to measure on: what a clock costs, how late the pacer is, and what else will spoil results.

import * as os from 'node:os';
import { formatBinaryBytes, formatDuration } from '../results/format.ts';
import type { Environment } from '../results/run.ts';
import { sampleQuantile } from '../results/stats/sample.ts';
import { TrialClock } from './trial-clock.ts';
import { type LoopMember, LoadLoop } from './trial-loop.ts';

export interface MachineFigures {
  /** Cost of reading the clock that trials use. */
  readonly clockNs: number;
  /** Lateness of the pacer, from the due moment to the step, by rate. */
  readonly pacer: readonly {
    readonly ratePerSecond: number;
    readonly p50Ns: number;
    readonly p99Ns: number;
    readonly maxNs: number;
  }[];
  readonly freeMemoryBytes: number;
}

export interface MachineFinding {
  readonly severity: 'care' | 'unfit';
  readonly message: string;
}

const pacerRates = [1000, 20_000];
const pacerNs = 500e6;

/** Takes about a second and a half. */
export async function measureMachine(): Promise<MachineFigures> {
  const pacer = [];
  for (const ratePerSecond of pacerRates) {
    pacer.push({ ratePerSecond, ...(await pacerLateness(ratePerSecond)) });
  }
  return { clockNs: clockCostNs(), pacer, freeMemoryBytes: os.freemem() };
}

/** Pure: what the figures mean. Empty for a machine that nothing is said against. */
export function judgeMachine(environment: Environment, figures: MachineFigures): MachineFinding[] {
  const { coreCount, loadAverage, governor, build } = environment;
  const findings: (MachineFinding | null)[] = [
    coreCount >= 2
      ? null
      : care('one core: generator and server take turns; measure against a target elsewhere'),
    loadFinding(loadAverage, coreCount),
    governor === null || governor === 'performance'
      ? null
      : care(`the frequency governor is ${governor}: set performance, or expect rates to wander`),
    build === 'dist' ? null : care('running from source: build with `npm run build` and measure with dist/'),
    figures.clockNs < 1000
      ? null
      : care(`reading the clock costs ${formatDuration(figures.clockNs)}: latencies carry it`),
    figures.freeMemoryBytes >= 2 ** 30
      ? null
      : care(`${formatBinaryBytes(figures.freeMemoryBytes)} of memory are free: long windows will not fit`),
    ...figures.pacer.map((pacer) => pacerFinding(pacer.ratePerSecond, pacer.p99Ns)),
  ];
  return findings.filter((finding) => finding !== null);
}

function care(message: string): MachineFinding {
  return { severity: 'care', message };
}

function loadFinding(loadAverage: number, coreCount: number): MachineFinding | null {
  if (loadAverage <= 0.5 * coreCount) return null;
  const severity = loadAverage > 1.5 * coreCount ? 'unfit' : 'care';
  return {
    severity,
    message: `load average ${loadAverage.toFixed(2)} on ${coreCount} cores: end what else runs, then wait a minute`,
  };
}

function pacerFinding(ratePerSecond: number, p99Ns: number): MachineFinding | null {
  if (p99Ns <= 200e3) return null;
  const severity = p99Ns > 2e6 ? 'unfit' : 'care';
  const lateness = formatDuration(p99Ns);
  return {
    severity,
    message: `at ${ratePerSecond}/s the pacer is ${lateness} late at p99: that much of every latency is ours`,
  };
}

function clockCostNs(): number {
  const clock = new TrialClock();
  const count = 200_000;
  for (let index = 0; index < count; index += 1) clock.nowNs();
  const start = performance.now();
  for (let index = 0; index < count; index += 1) clock.nowNs();
  return ((performance.now() - start) * 1e6) / count;
}

/** The pacer of real trials, with nothing to do at each due moment. */
async function pacerLateness(
  ratePerSecond: number,
): Promise<{ p50Ns: number; p99Ns: number; maxNs: number }> {
  const clock = new TrialClock();
  clock.setStart(process.hrtime.bigint() + 20_000_000n);
  const count = Math.floor((ratePerSecond * pacerNs) / 1e9);
  const latenessNs: number[] = [];
  const dueNs = (): number => (latenessNs.length / ratePerSecond) * 1e9;
  const member: LoopMember = {
    wakeNs: () => (latenessNs.length < count ? dueNs() : Infinity),
    step: (nowNs) => {
      while (latenessNs.length < count && dueNs() <= nowNs) latenessNs.push(nowNs - dueNs());
    },
    isDone: () => latenessNs.length >= count,
  };
  await new LoadLoop(clock, [member], () => false).run();
  const at = (fraction: number): number => sampleQuantile(latenessNs, fraction) ?? 0;
  return { p50Ns: at(0.5), p99Ns: at(0.99), maxNs: at(1) };
}
