import { afterAll, describe, expect, test } from 'vitest';
import { recordProblems } from '../../results/invariants.ts';
import { runSchema } from '../../results/run.ts';
import { parseFaults } from '../../runners/targets/fault.ts';
import { sabotagedTarget } from '../../runners/targets/scripted.ts';
import { runTrial } from '../../runners/trial.ts';
import type { TrialProgress } from '../../runners/trial.ts';
import { requireNatsServer } from '../support/real.ts';
import { faultsOf, findingsOf, realTarget, SharedTarget, trialOf } from './trial-fixture.ts';

const versions = ['2.9.10', '2.10.27', '2.15.1'] as const;

describe.each(versions)('on nats-server %s', (version) => {
  describe.skipIf(!requireNatsServer(version))('a trial', () => {
    const target = new SharedTarget(realTarget(version));
    afterAll(() => target.end());

    test('of publish stores every id once and says so in a record that its schema accepts', async () => {
      const phases: string[] = [];
      const request = trialOf('publish', target);
      const run = await runTrial(request, (progress: TrialProgress) => void phases.push(progress.phase));
      expect(runSchema.parse(run)).toEqual(run);
      expect(recordProblems(run)).toEqual([]);
      expect(faultsOf(run)).toEqual([]);
      expect(run.target).toMatchObject({ server: 'nats-server', version });
      expect(run.totals.sent).toBeGreaterThan(0);
      expect(run.audit).toMatchObject({ verdict: 'valid', findings: [] });
      expect(run.audit.totals.storedRead).toBe(run.totals.stored);
      expect(run.audit.totals.storedReported).toBe(run.totals.stored);
      expect(phases).toEqual(expect.arrayContaining(['open', 'set up', 'read back']));
    });

    test('of publish-retry counts flagged and leaked duplicates as the stream holds them', async () => {
      const run = await runTrial(trialOf('publish-retry', target));
      const { totals, audit } = run;
      expect(faultsOf(run)).toEqual([]);
      expect(audit.verdict).toBe('valid');
      expect(audit.totals.storedRead).toBe(totals.stored);
      expect(audit.totals.duplicateFlagged).toBe(totals.duplicate);
      expect(audit.totals.leakedAfterWindow).toBe(audit.totals.storedRead - audit.totals.distinctIdsRead);
      expect(audit.totals.leakedInWindow).toBe(0);
      expect(totals.duplicate).toBeGreaterThan(0);
      expect(totals.lostAcksInjected).toBeGreaterThanOrEqual(totals.retries);
    });

    test('of consume delivers everything that was preloaded', async () => {
      const run = await runTrial(trialOf('consume', target, { handling: '0ms', ack: 'double-ack' }));
      expect(faultsOf(run)).toEqual([]);
      expect(run.audit.verdict).toBe('valid');
      expect(run.totals.delivered).toBe(run.audit.totals.storedRead);
      expect(run.totals.acknowledgedConfirmed).toBe(run.totals.delivered);
    });

    test('of ack-then-retry finds resends refused although the message is gone', async () => {
      const run = await runTrial(trialOf('ack-then-retry', target));
      expect(run.audit.verdict).toBe('valid');
      expect(run.audit.totals.storedReported).toBe(0);
      expect(run.audit.totals.refusedResends).toBe(run.totals.duplicate);
      expect(run.audit.totals.refusedResends).toBeGreaterThan(0);
    });
  });
});

describe.skipIf(!requireNatsServer('2.15.1'))('the official client', () => {
  const target = new SharedTarget(realTarget('2.15.1'));
  afterAll(() => target.end());

  test('publishes what the same auditor accepts', async () => {
    const changes = { rate: '500/s', duration: '200ms' };
    const run = await runTrial(trialOf('publish-retry', target, changes, { client: 'nats.js' }));
    expect(faultsOf(run)).toEqual([]);
    expect(run.audit.verdict).toBe('valid');
    expect(run.audit.totals.storedRead).toBe(run.totals.stored);
    expect(run.audit.totals.duplicateFlagged).toBe(run.totals.duplicate);
  });

  test('consumes with confirmed acks', async () => {
    const changes = { handling: '0ms', ack: 'double-ack' };
    const run = await runTrial(trialOf('consume', target, changes, { client: 'nats.js' }));
    expect(faultsOf(run)).toEqual([]);
    expect(run.audit.verdict).toBe('valid');
    expect(run.totals.acknowledgedConfirmed).toBe(run.audit.totals.storedRead);
  });
});

describe.skipIf(!requireNatsServer('2.15.1'))('a planted fault is found', () => {
  const server = new SharedTarget(realTarget('2.15.1'));
  afterAll(() => server.end());
  const scripted = (faults: string) => sabotagedTarget(`scripted:${faults}`, server, parseFaults(faults));
  const publish = { rate: '500/s', duration: '300ms', warmup: '0ms' };

  test('a clean stream behind the saboteur is valid', async () => {
    const run = await runTrial(trialOf('publish', scripted(''), publish));
    expect(run.audit).toMatchObject({ verdict: 'valid', findings: [] });
  });

  test.each([
    ['lose@50', 'lost-acknowledged'],
    ['duplicate@50', 'duplicate-stored-in-window'],
    ['reorder@50', 'reordered-in-store'],
    ['false-duplicate@50', 'false-duplicate'],
  ])('%s is a violation: %s', async (faults, finding) => {
    const run = await runTrial(trialOf('publish', scripted(faults), publish));
    expect(findingsOf(run)).toEqual({ [finding]: 1 });
    expect(run.verdict).toBe('violation');
  });

  test('a delivery after its confirmed ack is a violation', async () => {
    const changes = { handling: '0ms', ack: 'double-ack', 'ack-wait': '200ms' };
    const run = await runTrial(trialOf('consume', scripted('redeliver@20'), changes));
    expect(findingsOf(run)).toMatchObject({ 'redelivered-after-confirmed-ack': 1 });
    expect(run.verdict).toBe('violation');
  });

  test('a stall shows in response time, not in service time', async () => {
    const changes = { rate: '100/s', duration: '2s', warmup: '0ms' };
    const run = await runTrial(trialOf('publish', scripted('stall-500ms@100'), changes));
    const measured = run.phases.find((phase) => phase.name === 'measure');
    const { response, service } = measured?.histograms ?? {};
    // 50 of 200 operations were due while nothing went out: their waits, 0 to 500 ms, add 60 ms or so to the mean.
    expect(response?.mean).toBeGreaterThan(50e6);
    expect((response?.mean ?? 0) - (service?.mean ?? 0)).toBeGreaterThan(40e6);
    expect(run.audit.verdict).toBe('valid');
  });
});

describe.skipIf(!requireNatsServer('2.15.1'))('a trial that cannot be carried out', () => {
  test('because the target dies is unknown, with the reason, and its accounts are kept', async () => {
    const inner = realTarget('2.15.1');
    const dying = {
      spec: inner.spec,
      open: async () => {
        const open = await inner.open();
        setTimeout(() => void open.close(), 700);
        return open;
      },
    };
    const run = await runTrial(trialOf('publish', dying, { duration: '3s' }));
    expect(run.audit.verdict).toBe('unknown');
    expect(run.audit.reasons.join(' ')).toMatch(/connection|read back/);
    expect(['invalid', 'unknown']).toContain(run.verdict);
    expect(recordProblems(run)).toEqual([]);
  });

  test('to its end by Ctrl-C is partial, and what was done is kept', async () => {
    const interrupt = new AbortController();
    const request = trialOf(
      'publish',
      realTarget('2.15.1'),
      { duration: '20s' },
      { signal: interrupt.signal },
    );
    const run = await runTrial(request, ({ phase }) => {
      if (phase === 'measure') interrupt.abort();
    });
    expect(run.partial).toBe(true);
    expect(run.totals.sent).toBeGreaterThan(0);
    expect(run.audit.totals.storedRead).toBe(run.totals.stored);
    expect(run.caveats.map((caveat) => caveat.kind)).toContain('partial');
    expect(run.verdict).not.toBe('valid');
  });
});

test('a target that cannot be opened gives a record that says why', async () => {
  const target = {
    spec: 'nats://secret:word@127.0.0.1:1',
    open: async () => {
      throw new Error('no server answers');
    },
  };
  const run = await runTrial(trialOf('publish', target));
  expect(runSchema.parse(run)).toEqual(run);
  expect(run.verdict).toBe('invalid');
  expect(run.target).toMatchObject({ spec: 'nats://secret:***@127.0.0.1:1', server: 'unknown' });
  expect(run.caveats.map((caveat) => caveat.message).join()).toContain('no server answers');
});
