import { expect, test } from 'vitest';
import { TrialControl } from '../../runners/trial-control.ts';

test('two threads see the same trial through its memory', () => {
  const main = TrialControl.forShares(2);
  const worker = new TrialControl(main.memory);
  expect(worker.startHrtimeNs).toBeNull();
  worker.reportReady();
  expect(main.readyCount).toBe(1);
  main.start(123_456_789_012_345_678n);
  expect(worker.startHrtimeNs).toBe(123_456_789_012_345_678n);
  worker.report(0, { sent: 10, settled: 8, delivered: 1 });
  worker.report(1, { sent: 5, settled: 5, delivered: 2 });
  expect(main.total()).toEqual({ sent: 15, settled: 13, delivered: 3 });
});

test('commands only go forward', () => {
  const control = TrialControl.forShares(1);
  control.start(1n);
  expect([control.mustStopSending, control.mustStop]).toEqual([false, false]);
  control.stopSending();
  expect([control.mustStopSending, control.mustStop]).toEqual([true, false]);
  control.stop();
  control.stopSending();
  expect([control.mustStopSending, control.mustStop]).toEqual([true, true]);
});

test('a trial that is stopped before its start lets nobody wait for ever', () => {
  const control = TrialControl.forShares(1);
  control.stop();
  expect(control.mustStop).toBe(true);
  expect(control.startHrtimeNs).not.toBeNull();
});
