import { describe, expect, it } from 'vitest';
import { caveat } from '../../results/caveats.ts';
import { quantile } from '../../results/histogram.ts';
import type { Finding } from '../../results/run.ts';
import { cellKey, summarise } from '../../results/summary.ts';
import { exitCodeOf, trialVerdict, worstVerdict } from '../../results/verdict.ts';
import { buildRun } from '../support/runs.ts';

const lost: Finding = {
  class: 'lost-acknowledged',
  severity: 'violation',
  count: 3,
  examples: ['publisher 0, counter 7'],
};
const saturated = caveat({
  kind: 'generator-saturated',
  latenessNsP99: 3e6,
  inFlightMax: 4096,
  missedCount: 9,
});

describe('summarise', () => {
  it('merges the repeats of a cell and gives everything one verdict', () => {
    const runs = [0, 1, 2].map((repeat) => buildRun({ repeat, trial: repeat, rate: 4000 }));
    const summary = summarise([...runs, buildRun({ rate: 8000, trial: 3 })]);
    expect(summary).toMatchObject({ trialCount: 4, verdict: 'valid', exitCode: 0 });
    const [cell] = summary.cells;
    expect(summary.cells).toHaveLength(2);
    expect(cell?.runs).toEqual(runs);
    expect(cell?.achievedPerSecond).toMatchObject({ count: 3, median: 4000 });
    const measured = runs.map((run) => run.phases[1]!.histograms.response!);
    expect(cell?.histograms.response?.count).toBe(measured.reduce((sum, one) => sum + one.count, 0));
    expect(cell?.counters.sent).toBe(runs.reduce((sum, run) => sum + run.totals.sent, 0));
    expect(summary.headline).toMatch(
      /^Exactly-once held: every one of .* acknowledged messages is accounted for\.$/,
    );
    expect(summary.sentence).toBe(`${summary.headline} ${summary.detail}`);
  });

  it('never averages percentiles: a merged p99 is that of all samples', () => {
    const fast = buildRun({ model: 'engine', repeat: 0 });
    const slow = { ...buildRun({ model: 'nats-2.10.27', repeat: 1 }), target: fast.target };
    const [cell] = summarise([fast, slow]).cells;
    const [fastP99, slowP99] = [fast, slow].map((run) => quantile(run.phases[1]!.histograms.response, 0.99)!);
    const merged = quantile(cell!.histograms.response, 0.99)!;
    expect(merged).toBeGreaterThan((fastP99! + slowP99!) / 2);
    expect(merged).toBeLessThanOrEqual(slowP99!);
  });

  it('keeps cells of other targets, parameters, clients and machines apart', () => {
    const run = buildRun();
    const others = [
      buildRun({ model: 'engine' }),
      buildRun({ rate: 5000 }),
      { ...run, client: 'nats.js' as const },
      { ...run, environment: { ...run.environment, id: 'elsewhere' } },
      { ...run, target: { ...run.target, storage: 'file (no sync)' } },
    ];
    const keys = new Set([run, ...others].map(cellKey));
    expect(keys.size).toBe(6);
    expect(cellKey({ ...run, repeat: 5, trial: 9, cell: 'named otherwise' })).toBe(cellKey(run));
  });

  it('leaves invalid and partial repeats out of the numbers, not out of the account', () => {
    const good = buildRun({ repeat: 0 });
    const bad = buildRun({ repeat: 1, caveats: [saturated] });
    const cut = { ...buildRun({ repeat: 2 }), partial: true };
    const { cells, verdict } = summarise([good, bad, cut]);
    expect(verdict).toBe('invalid');
    expect(cells[0]).toMatchObject({ usableCount: 1, achievedPerSecond: { count: 1 }, verdict: 'invalid' });
    expect(cells[0]?.counters.sent).toBe(good.totals.sent + bad.totals.sent + cut.totals.sent);
    expect(cells[0]?.caveats.map((one) => one.kind)).toEqual(['generator-saturated']);
  });

  it('puts correctness before validity (exit code 4 before 6)', () => {
    const broken = buildRun({ violations: [lost], caveats: [saturated] });
    const summary = summarise([buildRun(), broken, buildRun({ caveats: [saturated] })]);
    expect(summary).toMatchObject({ verdict: 'violation', exitCode: 4 });
    expect(summary.headline).toBe('Exactly-once was broken: 3 acknowledged messages lost.');
  });

  it('tells why numbers must not be used, and what the rest is worth', () => {
    const summary = summarise([buildRun(), buildRun({ rate: 100_000, trial: 1 })]);
    expect(summary).toMatchObject({
      verdict: 'invalid',
      exitCode: 6,
      headline: '1 of 2 trials must not be used.',
    });
    expect(summary.detail).toContain('of the asked rate');
    expect(summary.detail).toContain('In the other 1, every one of');
  });

  it('calls late duplicates the configuration’s, and says so', () => {
    const summary = summarise([buildRun({ workload: 'publish-retry', windowNs: 0.5e9, horizonNs: 2e9 })]);
    expect(summary.verdict).toBe('valid');
    expect(summary.detail).toMatch(/retries after the window stored a second copy, as configured/);
  });

  it('does not pass when nothing was measured or an audit could not tell', () => {
    expect(summarise([])).toMatchObject({ verdict: 'invalid', exitCode: 6, cells: [] });
    const run = buildRun();
    const audit = {
      ...run.audit,
      verdict: 'unknown' as const,
      reasons: ['the drain ended with 12 messages on their way'],
    };
    const summary = summarise([{ ...run, audit, verdict: 'unknown' }]);
    expect(summary).toMatchObject({ verdict: 'unknown', exitCode: 6 });
    expect(summary.detail).toBe('The drain ended with 12 messages on their way.');
  });
});

describe('verdict', () => {
  it.each([
    ['invalid', [saturated], 'violation'],
    ['valid', [saturated], 'invalid'],
    ['unknown', [saturated], 'invalid'],
    ['unknown', [], 'unknown'],
    ['valid', [caveat({ kind: 'running-from-source' })], 'valid'],
  ] as const)('an audit that is %s gives %j', (audit, caveats, verdict) => {
    expect(trialVerdict({ verdict: audit }, caveats)).toBe(verdict);
  });

  it('ranks', () => {
    expect(worstVerdict(['valid', 'unknown', 'invalid'])).toBe('invalid');
    expect(worstVerdict(['valid', 'violation', 'invalid'])).toBe('violation');
    expect(worstVerdict([])).toBe('invalid');
    expect([exitCodeOf('valid'), exitCodeOf('violation'), exitCodeOf('invalid')]).toEqual([0, 4, 6]);
  });
});
