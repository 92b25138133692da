import { describe, expect, test } from 'vitest';
import { scriptedTarget } from '../../runners/targets/scripted.ts';
import { parseTarget } from '../../runners/targets/registry.ts';
import { runTrial } from '../../runners/trial.ts';
import { faultsOf, findingsOf, trialOf } from './trial-fixture.ts';

// The embedded engine in this process, behind the saboteur: needs no server on the machine.

const publish = { rate: '500/s', duration: '300ms', warmup: '0ms' };

test('a scripted target without faults is the engine itself, and valid', async () => {
  const run = await runTrial(trialOf('publish', scriptedTarget('scripted'), publish));
  expect(run.target).toMatchObject({ spec: 'scripted', server: 'oncemark-engine' });
  expect(faultsOf(run)).toEqual([]);
  expect(run.audit).toMatchObject({ verdict: 'valid', findings: [] });
  expect(run.audit.totals.storedRead).toBe(150);
});

describe('a planted fault is found', () => {
  test.each([
    ['lose@50', 'lost-acknowledged'],
    ['duplicate@50', 'duplicate-stored-in-window'],
    ['reorder@50', 'reordered-in-store'],
    ['false-duplicate@50', 'false-duplicate'],
  ])('%s is a violation: %s', async (faults, finding) => {
    const run = await runTrial(trialOf('publish', scriptedTarget(`scripted:${faults}`), publish));
    expect(findingsOf(run)).toEqual({ [finding]: 1 });
    expect(run.verdict).toBe('violation');
  });

  test('redeliver@20 is a violation: redelivered-after-confirmed-ack', async () => {
    const changes = { handling: '0ms', ack: 'double-ack', 'ack-wait': '200ms' };
    const run = await runTrial(trialOf('consume', scriptedTarget('scripted:redeliver@20'), changes));
    expect(findingsOf(run)).toMatchObject({ 'redelivered-after-confirmed-ack': 1 });
    expect(run.verdict).toBe('violation');
  });
});

test('a second copy stored after the window is over is no violation but the configuration’s', async () => {
  const run = await runTrial(trialOf('publish-retry', scriptedTarget('scripted')));
  expect(run.audit.verdict).toBe('valid');
  expect(run.audit.totals.leakedAfterWindow).toBe(
    run.audit.totals.storedRead - run.audit.totals.distinctIdsRead,
  );
  expect(run.audit.totals.duplicateFlagged).toBe(run.totals.duplicate);
});

test('a generator that is asked for more than it can do is invalid: saturated', async () => {
  const changes = { rate: '2M/s', duration: '200ms', warmup: '0ms', 'in-flight': '16' };
  const run = await runTrial(trialOf('publish', parseTarget('inproc'), changes));
  expect(run.caveats.map((caveat) => caveat.kind)).toContain('generator-saturated');
  expect(run.verdict).toBe('invalid');
  expect(run.generator.keptUp).toBe(false);
});

test('in a closed loop every acknowledged message is where its PubAck said', async () => {
  const changes = { loop: 'closed', duration: '200ms', warmup: '0ms', 'in-flight': '2048' };
  const run = await runTrial(trialOf('publish', parseTarget('inproc'), changes));
  expect(run.audit).toMatchObject({ verdict: 'valid', findings: [] });
  expect(run.totals).toMatchObject({ unknown: 0, inFlight: 0 });
  expect(run.caveats.map((caveat) => caveat.kind)).toContain('closed-loop');
});
