import { beforeAll, describe, expect, it } from 'vitest';
import { renderReport, runsFromReport } from '../../dashboards/report.ts';
import { caveat } from '../../results/caveats.ts';
import { quantile } from '../../results/histogram.ts';
import type { Run } from '../../results/run.ts';
import { buildRun, capacityPlan } from '../support/runs.ts';

const generatedAt = '2026-05-04T09:41:00Z';
const hostile = '</script><img src=x onerror=alert(1)>';

describe('report', () => {
  it('makes one page that needs nothing else', async () => {
    const runs = [1000, 4000, 8000].map((rate, trial) => buildRun({ rate, trial, swept: ['rate'] }));
    const page = await renderReport(runs, { generatedAt, title: 'Spring capacity' });
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('Spring capacity: valid');
    expect(page).toContain('Exactly-once held');
    expect(page).toContain('oncemark run plans/capacity.yaml --target engine');
    expect(page).not.toMatch(/(?:src|href)="(?!#)/);
    expect(page).not.toMatch(/https?:|@import|url\(/);
    expect(page.match(/<script/g)).toHaveLength(1); // the data, which no browser runs
  });

  it('is a function of runs and date', async () => {
    const runs = [buildRun()];
    expect(await renderReport(runs, { generatedAt })).toBe(await renderReport(runs, { generatedAt }));
  });

  it('can be made again from itself', async () => {
    const runs = [buildRun(), buildRun({ workload: 'consume', rate: 500, trial: 1 })];
    const page = await renderReport(runs, { generatedAt });
    expect(runsFromReport(page)).toEqual(runs);
    expect(await renderReport(runsFromReport(page), { generatedAt })).toBe(page);
  });

  it('says why a page holds no data', () => {
    expect(() => runsFromReport('<p>hello</p>')).toThrow('holds no data of an oncemark report');
    const broken =
      '<script type="application/json" id="oncemark-data">{"encoding":"gzip+base64","lines":"AAAA"}</script>';
    expect(() => runsFromReport(broken)).toThrow('its data cannot be read');
  });

  it('tells what to run for charts that the results cannot fill', async () => {
    const page = await renderReport([buildRun()], { generatedAt });
    expect(page).toContain('Charts that these results cannot fill');
    expect(page).toContain('oncemark run --workload publish-retry');
    expect(page).not.toContain('id="throughput"');
    expect(page).toContain('id="spectrum"');
  });

  it('is a page, too, when nothing was measured', async () => {
    const page = await renderReport([], { generatedAt });
    expect(page).toContain('Nothing was measured.');
    expect(runsFromReport(page)).toEqual([]);
  });

  it('shows findings with their examples, and caveats with the next step', async () => {
    const run = buildRun({
      violations: [
        {
          class: 'duplicate-stored-in-window',
          severity: 'violation',
          count: 1,
          examples: ['publisher 0, counter 7: 8 and 9'],
        },
      ],
      caveats: [caveat({ kind: 'machine-busy', loadAverage: 3.2, coreCount: 2 })],
    });
    const page = await renderReport([run], { generatedAt });
    expect(page).toContain('Exactly-once was broken: 1 id stored twice inside its window.');
    expect(page).toContain('publisher 0, counter 7: 8 and 9');
    expect(page).toContain('load average 3.20 on 2 cores');
  });

  it('greys latency charts when the generator was not fit to measure', async () => {
    const caveats = [
      caveat({ kind: 'generator-saturated', latenessNsP99: 4e6, inFlightMax: 4096, missedCount: 10 }),
    ];
    const spoilt = [1000, 4000].map((rate, trial) => buildRun({ rate, trial, caveats }));
    const page = await renderReport(spoilt, { generatedAt });
    expect(page).toMatch(/<figure class="card greyed" id="response-time">/);
    expect(page).toMatch(/<figure class="card" id="throughput">/);
    expect(page).toContain('Fell behind in 2 of 2 trials');
    const healthy = await renderReport(
      [1000, 4000].map((rate, trial) => buildRun({ rate, trial })),
      { generatedAt },
    );
    expect(healthy).not.toContain('card greyed');
  });

  it('keeps hostile names text (C153)', async () => {
    const run = buildRun({ rate: 1000 });
    const named: Run = {
      ...run,
      command: ['oncemark', 'run', `it's ${hostile}`],
      seed: hostile,
      target: { ...run.target, version: hostile, spec: `"${hostile}` },
      workload: { ...run.workload, name: hostile, swept: [hostile], parameters: { [hostile]: hostile } },
      caveats: [{ kind: hostile, severity: 'warning', message: hostile }],
      audit: {
        ...run.audit,
        findings: [{ class: 'unexpected', severity: 'information', count: 1, examples: [hostile] }],
      },
    };
    const other = {
      ...named,
      workload: { ...named.workload, numbers: { ...named.workload.numbers, rate: 2000 } },
    };
    const page = await renderReport([named, other], { generatedAt, title: hostile });
    expect(page).not.toContain('<img');
    expect(page.match(/<\/script>/g)).toHaveLength(1);
    expect(page).toContain('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;');
    expect(runsFromReport(page)).toEqual([named, other]);
  });
});

describe('report of 27 cells on three targets', () => {
  const runs = capacityPlan({ sampleCountMax: 8000 });
  let page = '';

  beforeAll(async () => {
    page = await renderReport(runs, { generatedAt });
  });

  it('is small enough to mail', () => {
    expect(runs).toHaveLength(81);
    expect(new TextEncoder().encode(page).length).toBeLessThan(600_000);
  });

  it('has every chart, each with title, description and a table', () => {
    const ids = [...page.matchAll(/<figure class="card" id="([^"]+)">/g)].map((match) => match[1]);
    expect(ids).toEqual([
      'throughput',
      'response-time',
      'spectrum',
      'leaked-duplicates',
      'redeliveries',
      'ack-wait-latency',
      'memory',
      'window-rate-map',
    ]);
    expect(page.match(/The numbers as a table/g)).toHaveLength(ids.length);
    const drawings = page.match(/<svg viewBox="[^"]*" role="img"/g) ?? [];
    expect(page.match(/<desc id=/g)).toHaveLength(drawings.length);
    const names = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('gives up digits of the embedded histograms before it grows, says so, and keeps every count', () => {
    expect(page).toContain('histograms of the measured phase at two significant digits');
    const rebuilt = runsFromReport(page);
    expect(rebuilt).toHaveLength(81);
    for (const [index, run] of rebuilt.entries()) {
      const original = runs[index]!;
      expect({ ...run, phases: [] }).toEqual({ ...original, phases: [] });
      const [was, is] = [original, run].map((one) => one.phases[1]!.histograms.response!);
      expect(is).toMatchObject({ count: was!.count, min: was!.min, max: was!.max, mean: was!.mean });
    }
    const [was, is] = [runs[0]!, rebuilt[0]!].map((run) =>
      quantile(run.phases[1]!.histograms.response, 0.99)!,
    );
    expect(Math.abs(is! / was! - 1)).toBeLessThan(0.01);
  });
});
