import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caveat } from '../../results/caveats.ts';
import { appendRun, parseRuns, readRuns, RecordRefused } from '../../results/store.ts';
import { buildRun } from '../support/runs.ts';

describe('store', () => {
  let directory = '';
  let file = '';

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'oncemark-store-'));
    file = join(directory, 'results.ndjson');
  });

  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('appends records and reads them back', () => {
    const runs = [buildRun({ trial: 0 }), buildRun({ trial: 1, model: 'engine' })];
    for (const run of runs) appendRun(file, run);
    expect(readRuns(file)).toEqual({ runs, problems: [] });
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
  });

  it('reports and ignores a line that a crash tore, deletes nothing, and goes on behind it', () => {
    const run = buildRun();
    appendRun(file, run);
    appendFileSync(file, '{"schema":1,"tool":{"na');
    const torn = readRuns(file);
    expect(torn.runs).toEqual([run]);
    expect(torn.problems).toEqual([
      `${file} line 2: ends in the middle of a record (a crash while writing?); ignored, the line stays in the file`,
    ]);
    appendRun(file, { ...run, trial: 1 });
    const after = readRuns(file);
    expect(after.runs.map((one) => one.trial)).toEqual([0, 1]);
    expect(after.problems).toEqual([`${file} line 2: is not JSON; ignored, the line stays in the file`]);
    expect(readFileSync(file, 'utf8')).toContain('{"schema":1,"tool":{"na\n');
  });

  it('reads a last record that lacks only its line feed', () => {
    writeFileSync(file, JSON.stringify(buildRun()));
    expect(readRuns(file)).toMatchObject({ runs: [{ trial: 0 }], problems: [] });
  });

  it('names line, field, value and rule', () => {
    const run = buildRun();
    const broken = [
      { ...run, workerCount: -1 },
      { ...run, verdict: 'fine' },
      { ...run, colour: 'red' },
      { ...run, totals: { ...run.totals, sent: 'many' } },
    ];
    const { runs, problems } = parseRuns(broken.map((one) => `${JSON.stringify(one)}\n`).join(''), 'r');
    expect(runs).toEqual([]);
    expect(problems).toHaveLength(4);
    expect(problems[0]).toMatch(/^r line 1: workerCount: -1: .*>=0/);
    expect(problems[1]).toMatch(/^r line 2: verdict: "fine": .*"valid"/);
    expect(problems[2]).toMatch(/^r line 3: record: .*colour/);
    expect(problems[3]).toMatch(/^r line 4: totals\.sent: "many": .*expected number/);
  });

  it('says that a newer schema needs a newer oncemark', () => {
    const newer = JSON.stringify({ ...buildRun(), schema: 2 });
    expect(parseRuns(`${newer}\n{}\n[]\n\n`, 'r').problems).toEqual([
      'r line 1: schema 2 is newer than 1, the newest that this oncemark reads; use a newer oncemark',
      'r line 2: schema: nothing is not 1; this is no record of oncemark',
      'r line 3: schema: nothing is not 1; this is no record of oncemark',
    ]);
  });

  it('refuses to write or to read a record that contradicts itself', () => {
    const run = buildRun();
    const bad = { ...run, totals: { ...run.totals, sent: run.totals.sent + 5 } };
    expect(() => appendRun(file, bad)).toThrow(RecordRefused);
    expect(() => appendRun(file, bad)).toThrow(/is not stored/);
    expect(() => readRuns(file)).toThrow(/ENOENT/); // nothing was written
    expect(parseRuns(`${JSON.stringify(bad)}\n`, 'r').runs).toEqual([]);
  });

  it('keeps a record that says itself that it is broken, without latencies to read off', () => {
    const run = buildRun();
    const problems = ['totals: sent does not add up'];
    const marked = {
      ...run,
      totals: { ...run.totals, sent: run.totals.sent + 5 },
      caveats: [caveat({ kind: 'broken-record', problems })],
      verdict: 'invalid' as const,
    };
    appendRun(file, marked);
    const { runs } = readRuns(file);
    expect(runs[0]?.caveats[0]?.message).toBe(
      'fault of oncemark, please report: totals: sent does not add up',
    );
    expect(runs[0]?.phases.every((phase) => phase.histograms.response === null)).toBe(true);
    expect(() => appendRun(file, { ...marked, verdict: 'valid' })).toThrow(RecordRefused);
  });

  it('finds nothing in an empty file', () => {
    writeFileSync(file, '');
    expect(readRuns(file)).toEqual({ runs: [], problems: [] });
  });
});
