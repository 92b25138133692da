import { describe, expect, test } from 'vitest';
import { changedSettings, planWithSubjects, prepareGround, SetupError } from '../../runners/setup.ts';
import { workloads } from '../../workloads/registry.ts';
import { trialOf } from './trial-fixture.ts';

const neverOpened = { spec: 'none', open: () => Promise.reject(new Error('never opened')) };
const plan = workloads.publish.plan(trialOf('publish', neverOpened).values);

test('every subject of a trial begins with the name of its stream', () => {
  const own = planWithSubjects(plan, 'oncemark_x');
  for (const subject of [...own.stream.subjects, own.publisher?.subject]) {
    expect(subject).toMatch(/^oncemark_x\./);
  }
});

describe('settings that the server changed', () => {
  test('are told with both values', () => {
    expect(
      changedSettings(
        'stream',
        { duplicate_window: 5, storage: 'memory' },
        { duplicate_window: 4, storage: 'memory' },
      ),
    ).toEqual(['stream duplicate_window: asked for 5, the server has 4']);
  });

  test('are not those it left out, nor another way to say unlimited', () => {
    expect(changedSettings('stream', { max_msgs: 0, discard: 'old' }, { max_msgs: -1 })).toEqual([]);
  });

  test('include lists', () => {
    expect(changedSettings('stream', { subjects: ['a'] }, { subjects: ['a', 'b'] })).toHaveLength(1);
    expect(changedSettings('stream', { subjects: ['a'] }, { subjects: ['a'] })).toEqual([]);
  });
});

test('a server that is not there is a sentence with its address', async () => {
  const preparing = prepareGround('nats://127.0.0.1:1', 'oncemark_x', plan);
  await expect(preparing).rejects.toBeInstanceOf(SetupError);
  await expect(preparing).rejects.toThrow(/no NATS server answers at nats:\/\/127\.0\.0\.1:1/);
});
