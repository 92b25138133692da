import { expect, test } from 'vitest';
import { Pace, runProgress } from '../../runners/progress.ts';

test('time left follows from what was expected and how finished trials compared with it', () => {
  const pace = new Pace([10e9, 10e9, 20e9]);
  pace.start(0, 0);
  expect(pace.remainingNs(0)).toBe(40e9);
  expect(pace.share(0.5)).toBe(0.125);
  pace.finish(20e9); // twice as long as expected
  pace.start(1, 20e9);
  expect(pace.remainingNs(0)).toBe(60e9);
  expect(pace.remainingNs(1)).toBe(40e9);
  expect(pace.remaining(1)).toBe('40 s');
});

test('a plan of nothing is done', () => {
  expect(new Pace([]).share(0)).toBe(1);
});

test('without a terminal there is one line for each finished trial', () => {
  const lines: string[] = [];
  const progress = runProgress({
    expectedNs: [1e9, 1e9],
    isTerminal: false,
    writeLine: (line) => lines.push(line),
  });
  progress.start(0, 'publish on engine');
  progress.update(0.5, 'measure');
  progress.finish('publish on engine  valid');
  progress.start(1, 'consume on engine');
  progress.finish('consume on engine  valid');
  progress.stop();
  progress.stop();
  expect(lines).toEqual(['[1/2] publish on engine  valid', '[2/2] consume on engine  valid']);
});
