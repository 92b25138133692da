import { describe, expect, it } from 'vitest';
import { logDomain, logTicks, measuredTicks, positiveRows } from '../../dashboards/figures/axes.ts';
import type { Figure } from '../../dashboards/figures/figure.ts';
import { leakedDuplicatesFigure } from '../../dashboards/figures/leaked-duplicates.ts';
import { binned, memoryFigure } from '../../dashboards/figures/memory.ts';
import { redeliveriesFigure } from '../../dashboards/figures/redeliveries.ts';
import { chartKinds } from '../../dashboards/figures/registry.ts';
import { responseTimeFigure } from '../../dashboards/figures/response-time.ts';
import { spectrumFigure } from '../../dashboards/figures/spectrum.ts';
import { targetSeries } from '../../dashboards/figures/targets.ts';
import { throughputFigure } from '../../dashboards/figures/throughput.ts';
import { windowRateMapFigure } from '../../dashboards/figures/window-rate-map.ts';
import { drawPanel } from '../../dashboards/render.ts';
import { formatDuration } from '../../results/format.ts';
import { quantile } from '../../results/histogram.ts';
import type { Run } from '../../results/run.ts';
import { summarise } from '../../results/summary.ts';
import { buildRun, capacityPlan } from '../support/runs.ts';

const plan = summarise(capacityPlan({ sampleCountMax: 1500 }));
const none = summarise([]);

type Row = Record<string, unknown>;

/** Every row of every data set of a figure. */
function rowsOf(figure: Figure | null): Row[] {
  return (figure?.panels ?? []).flatMap(({ spec }) =>
    [spec, ...spec.layer].flatMap((part) => {
      const data = (part as { data?: { values?: Row[] } }).data;
      return data?.values ?? [];
    }),
  );
}

describe('figures', () => {
  it('draws the throughput knee: what was offered, what was achieved, and the trouble beside it', () => {
    const runs = [1000, 16_000, 64_000].map((rate, trial) =>
      buildRun({ model: 'nats-2.10.27', rate, trial }),
    );
    const figure = throughputFigure(summarise(runs));
    const points = rowsOf(figure).filter((row) => 'isUsable' in row);
    expect(points.map((row) => [row['offered'], row['isUsable']])).toEqual([
      [1000, true],
      [16_000, true],
      [64_000, false],
    ]);
    expect(points[0]).toMatchObject({ target: 'nats-server 2.10.27, memory', achieved: 1000, trouble: '' });
    expect(points[2]?.['achieved']).toBeLessThan(23_000);
    expect(points[2]?.['trouble']).toBe('0.2 % errors');
    expect(figure?.table.rows).toHaveLength(3);
    expect(figure?.notes[0]).toContain('1 trial a point');
  });

  it.each(chartKinds.map((kind) => [kind.name, kind] as const))(
    '%s explains itself and has a table',
    (_, kind) => {
      const figure = kind.draw(plan);
      expect(figure).not.toBeNull();
      expect(figure?.reading).toMatch(/\.$/);
      expect(figure?.notes.length).toBeGreaterThan(0);
      expect(figure?.legend.length).toBeGreaterThan(0);
      expect(figure?.table.rows.length).toBeGreaterThan(0);
      for (const row of figure?.table.rows ?? []) expect(row).toHaveLength(figure!.table.columns.length);
      expect(JSON.stringify(figure)).not.toMatch(/NaN|undefined|Infinity/);
      expect(kind.draw(none)).toBeNull();
    },
  );

  it('stays below 2 000 points a chart (C154)', () => {
    for (const kind of chartKinds) expect(rowsOf(kind.draw(plan)).length).toBeLessThanOrEqual(2000);
    const samples = Array.from({ length: 100_000 }, (_, index) => ({
      atNs: index * 1e6,
      residentBytes: index === 77_777 ? 1e9 : 5e6,
      liveHeapBytes: null,
      cpuFraction: null,
      dedupEntries: null,
      dedupBytes: null,
    }));
    const points = binned(samples, 'residentBytes');
    expect(points.length).toBeLessThanOrEqual(150);
    expect(Math.max(...points.map((point) => point.value))).toBe(1e9); // the peak survives
    expect(binned(samples, 'dedupBytes')).toEqual([]);
  });

  it('draws every chart without a word from vega, at both widths', async () => {
    for (const kind of chartKinds) {
      for (const panel of kind.draw(plan)?.panels ?? []) {
        const drawing = await drawPanel(panel, 330, { id: 'x', title: 'T', description: 'D' });
        expect(drawing.warnings).toEqual([]);
        expect(drawing.svg).toMatch(
          /^<svg viewBox="[^"]+" role="img" aria-labelledby="x-title x-desc"><title/,
        );
        expect(drawing.svg).toContain('var(--');
        expect(drawing.svg).not.toMatch(/#0[123]0[123]0|font-family|NaN/);
      }
    }
  });

  it('draws one line for each quantile although names hold dots (C149)', async () => {
    const figure = responseTimeFigure(plan);
    const [panel] = figure!.panels;
    const drawing = await drawPanel(panel!, 520, { id: 'x', title: 'T', description: 'D' });
    const lines = drawing.svg.match(/<path d="M[^"]*L[^"]*"[^>]* stroke="var\(--series-\d\)"/g) ?? [];
    expect(lines).toHaveLength(6); // three targets, p50 and p99
  });

  it('shows the same p99 in chart and table (C154)', () => {
    const figure = responseTimeFigure(plan);
    const cell = plan.cells.find((one) => one.workload.name === 'publish-retry')!;
    const single = responseTimeFigure(
      summarise([
        buildRun({ rate: 1000, model: 'engine' }),
        buildRun({ rate: 4000, model: 'engine', trial: 1 }),
      ]),
    );
    const p99 = quantile(buildRun({ rate: 4000, model: 'engine' }).phases[1]!.histograms.response, 0.99);
    expect(single?.table.rows[1]?.[3]).toBe(formatDuration(p99));
    const [drawn] = rowsOf(single).filter((row) => row['quantile'] === 'p99' && row['offered'] === 4000);
    expect(drawn?.['latency']).toBeCloseTo(p99! / 1e3, 6);
    expect(figure?.table.rows).toHaveLength(15);
    expect(cell.histograms.response).not.toBeNull();
  });

  it('drops what a logarithm cannot show, says so, and keeps the rest apart (C150)', () => {
    const { rows, note } = positiveRows([0, 10, 100], (value) => value);
    expect(rows).toEqual([10, 100]);
    expect(note).toContain('1 value of zero or less');
    expect(positiveRows([1], (value) => value).note).toBeNull();
  });

  it('orders releases as versions in legend, table and scale (C155)', () => {
    const versions = ['2.15.1', '2.9.10', '2.12.0-RC.1', '2.10.27', '2.11.0'];
    const runs = versions.flatMap((version, index) =>
      [1000, 2000].map((rate): Run => {
        const run = buildRun({ rate, trial: index });
        return { ...run, target: { ...run.target, version, spec: `nats-server:${version}` } };
      }),
    );
    const expected = ['2.9.10', '2.10.27', '2.11.0', '2.12.0-RC.1', '2.15.1'].map(
      (one) => `nats-server ${one}, memory`,
    );
    expect(targetSeries(runs).map((series) => series.label)).toEqual(expected);
    const figure = throughputFigure(summarise(runs));
    expect(figure?.legend.map((entry) => entry.label)).toEqual(expected);
    expect([...new Set(figure?.table.rows.map(([target]) => target))]).toEqual(expected);
  });

  it('tells targets apart that share a name', () => {
    const run = buildRun();
    const other = { ...run, target: { ...run.target, spec: 'nats://other:4222' } };
    expect(targetSeries([run, other]).map((series) => series.label)).toEqual([
      'nats-server 2.15.1, memory (nats-server:2.15.1)',
      'nats-server 2.15.1, memory (nats://other:4222)',
    ]);
  });

  it('sets leaked duplicates against window / horizon, with intervals', () => {
    const runs = [0.25, 1.5].map((ratio, trial) =>
      buildRun({ workload: 'publish-retry', windowNs: ratio * 2e9, horizonNs: 2e9, trial }),
    );
    const figure = leakedDuplicatesFigure(summarise(runs));
    const [leaking, safe] = rowsOf(figure).filter((row) => 'share' in row);
    expect([leaking?.['x'], safe?.['x']]).toEqual([0.25, 1.5]);
    expect(leaking?.['share']).toBeGreaterThan(0.4);
    expect(safe).toMatchObject({ share: 0, low: 0 });
    expect(safe?.['high']).toBeGreaterThan(0); // nothing seen is not nothing possible
    expect(rowsOf(figure).filter((row) => !('share' in row))).toEqual([{ x: 1 }, { x: 1 }]); // the rule and its name
  });

  it('sets redeliveries against the time that a pull takes', () => {
    const runs = [50e6, 100e6, 20e6].map((ackWaitNs, trial) =>
      buildRun({ workload: 'consume', prefetch: 32, handlingNs: 2e6, ackWaitNs, rate: 500, trial }),
    );
    const rows = rowsOf(redeliveriesFigure(summarise(runs))).filter((row) => 'share' in row);
    expect(rows.map((row) => row['x'])).toEqual([1.28, 0.64, 3.2]);
    expect(rows.map((row) => (row['share'] as number) > 0)).toEqual([true, false, true]);
  });

  it('compares spectra at the highest rate that all targets kept', () => {
    const figure = spectrumFigure(plan);
    expect(figure?.notes[0]).toContain('16 k/s offered');
    const kinds = new Set(rowsOf(figure).map((row) => `${String(row['target'])} ${String(row['kind'])}`));
    expect(kinds.size).toBe(6);
    expect(figure?.table.rows.map((row) => row[1])).toEqual(
      Array.from({ length: 3 }, () => ['response', 'service', 'lateness']).flat(),
    );
  });

  it('maps the window’s memory, and leaves fields without a usable trial empty', () => {
    const figure = windowRateMapFigure(plan);
    expect(figure?.panels.map((panel) => panel.title)).toEqual([
      'nats-server 2.10.27, memory',
      'nats-server 2.15.1, memory',
      'oncemark-engine 0.1.0 strict, memory',
    ]);
    expect(rowsOf(figure)).toHaveLength(15 + 15 + 12);
    expect(figure?.notes[1]).toContain('3 of the swept fields have no usable trial that tells');
  });

  it('maps what all targets can tell rather than what one can', () => {
    const runs = [1000, 4000].flatMap((rate) =>
      [1e9, 2e9].flatMap((windowNs) => {
        const seen = buildRun({ model: 'engine', rate, windowNs });
        const blind = buildRun({ rate, windowNs });
        const memory = blind.memory.map((sample) => ({ ...sample, dedupBytes: null, dedupEntries: null }));
        return [seen, { ...blind, memory }];
      }),
    );
    const figure = windowRateMapFigure(summarise(runs));
    expect(figure?.title).toBe('Window × rate: growth of resident memory');
    expect(figure?.panels).toHaveLength(2);
  });

  it('follows the memory of the trial that held the most ids', () => {
    const figure = memoryFigure(plan);
    expect(figure?.panels).toHaveLength(2);
    expect(figure?.table.rows.map((row) => row.slice(0, 3))).toContainEqual([
      'oncemark-engine 0.1.0 strict, memory',
      '32 k/s',
      '8 s',
    ]);
  });
});

describe('axes', () => {
  it('puts round ticks on logarithms of any span', () => {
    expect(logTicks(0.9, 150)).toEqual([1, 2, 5, 10, 20, 50, 100]);
    expect(logTicks(0.5, 2e6)).toEqual([1, 10, 100, 1000, 10_000, 100_000, 1_000_000]);
    expect(logTicks(14, 42)).toEqual([15, 20, 30, 40]);
  });

  it('puts ticks where was measured, when that is few', () => {
    expect(measuredTicks([1000, 1000, 4000], [800, 5000])).toEqual([1000, 4000]);
    const many = Array.from({ length: 20 }, (_, index) => 100 + index * 37);
    expect(measuredTicks(many, logDomain(many))).toEqual([100, 200, 500, 1000]);
  });
});
