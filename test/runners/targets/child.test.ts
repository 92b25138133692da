import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guardScript, scratchFolder, ServerProcess } from '../../../runners/targets/child.ts';

const node = process.execPath;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a server is started, waited for and ended, and its folder removed', async () => {
  const folder = scratchFolder();
  const script = 'console.log("ready"); setInterval(() => {}, 1000)';
  const server = await ServerProcess.start({ command: node, args: ['-e', script], folder });
  await server.waitFor('its first line', () => (server.output === '' ? null : server.output), 5000);
  expect(server.output).toBe('ready\n');
  await server.close();
  expect(server.end).toBe('was ended by SIGTERM');
  expect(existsSync(folder)).toBe(false);
});

test('one that ends by itself is told with its last words', async () => {
  const script = 'console.error("no such flag"); process.exit(3)';
  const server = await ServerProcess.start({ command: node, args: ['-e', script], folder: scratchFolder() });
  const waiting = server.waitFor('its ports file', () => null, 5000);
  await expect(waiting).rejects.toThrow('the server exited with code 3 before its ports file: no such flag');
  await server.close();
});

test('one that cannot be started leaves no folder', async () => {
  const folder = scratchFolder();
  await expect(ServerProcess.start({ command: '/no/such', args: [], folder })).rejects.toThrow(
    '/no/such cannot be started',
  );
  expect(existsSync(folder)).toBe(false);
});

test('the guard ends a server whose owner was killed', async () => {
  const folder = scratchFolder();
  const server = await ServerProcess.start({
    command: node,
    args: ['-e', 'setInterval(() => {}, 1000)'],
    folder,
  });
  // The same script that start() runs, with an owner that is gone at once.
  const guard = spawn('sh', ['-c', guardScript, 'guard', String(server.pid), folder], { stdio: 'pipe' });
  guard.stdin.end();
  await once(guard, 'exit');
  await server.waitFor('its end', () => server.end, 5000);
  expect(server.end).toBe('was ended by SIGKILL');
  expect(isAlive(server.pid)).toBe(false);
  expect(existsSync(folder)).toBe(false);
  await server.close();
});
