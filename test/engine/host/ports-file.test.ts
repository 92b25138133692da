import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writePortsFile } from '../../../engine/host/ports-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'oncemark-ports-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const urls = { nats: ['nats://127.0.0.1:4222'], monitoring: ['http://127.0.0.1:8222'] };

test('tells where the server listens until it is removed (spec B.2)', () => {
  const file = writePortsFile(dir, 'nats-server', 4711, urls);
  expect(basename(file.path)).toBe('nats-server_4711.ports');
  expect(JSON.parse(readFileSync(file.path, 'utf8'))).toEqual(urls);
  expect(readdirSync(dir)).toEqual(['nats-server_4711.ports']);
  file.remove();
  file.remove();
  expect(existsSync(file.path)).toBe(false);
});

test('replaces what a killed server of the same pid left behind', () => {
  writePortsFile(dir, 'nats-server', 1, { nats: [], monitoring: [] });
  const file = writePortsFile(dir, 'nats-server', 1, urls);
  expect(JSON.parse(readFileSync(file.path, 'utf8'))).toEqual(urls);
});

test('names the directory that cannot be written', () => {
  const missing = join(dir, 'missing');
  expect(() => writePortsFile(missing, 'nats-server', 1, urls)).toThrow(
    `ports_file_dir = ${JSON.stringify(missing)}`,
  );
});
