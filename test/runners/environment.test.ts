import { hostname, homedir } from 'node:os';
import { expect, test } from 'vitest';
import { environmentId, readEnvironment } from '../../runners/environment.ts';
import { environmentSchema } from '../../results/run.ts';

const comparable = {
  cpuModel: 'Some CPU',
  coreCount: 2,
  memoryBytes: 8 * 2 ** 30,
  platform: 'linux x64',
  kernel: '6.1.0',
  nodeVersion: 'v20.19.0',
  build: 'dist' as const,
  governor: null,
};

test('the fingerprint fits the record and names neither host nor home', () => {
  const environment = readEnvironment();
  expect(environmentSchema.parse(environment)).toEqual(environment);
  expect(environment.build).toBe('source'); // under vitest
  expect(JSON.stringify(environment)).not.toContain(homedir());
  expect(JSON.stringify(environment)).not.toContain(hostname());
});

test('equal machines have equal ids, whatever a kernel keeps of the memory', () => {
  expect(environmentId(comparable)).toMatch(/^[0-9a-f]{16}$/);
  expect(environmentId({ ...comparable, memoryBytes: comparable.memoryBytes - 50e6 })).toBe(
    environmentId(comparable),
  );
  expect(environmentId({ ...comparable, nodeVersion: 'v22.12.0' })).not.toBe(environmentId(comparable));
  expect(environmentId({ ...comparable, build: 'source' })).not.toBe(environmentId(comparable));
});
