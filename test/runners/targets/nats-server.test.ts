import { describe, expect, test } from 'vitest';
import { natsServerTarget } from '../../../runners/targets/nats-server.ts';
import { natsTarget } from '../../../runners/targets/nats.ts';
import { natsServerPath, requireNatsServer } from '../../support/real.ts';

test('a path that cannot be executed is refused with the rule', () => {
  expect(() => natsServerTarget('nats-server:/no/such', '/no/such')).toThrow(
    'target "nats-server:/no/such": "/no/such" is no file that can be executed; write nats-server:PATH',
  );
});

describe.each(['2.9.10', '2.10.27', '2.15.1'] as const)('nats-server %s', (version) => {
  test.skipIf(!requireNatsServer(version))('is started, seen, loaded from outside and ended', async () => {
    const path = natsServerPath(version) ?? '';
    const target = await natsServerTarget(`nats-server:${path}`, path).open();
    expect(target.server).toMatchObject({ name: 'nats-server', version, storage: 'memory' });
    expect(await target.probes.liveHeapBytes()).toBeGreaterThan(100_000);
    expect(await target.probes.dedup()).toBeNull();
    const there = await natsTarget(`nats://127.0.0.1:${target.port}`).open();
    expect(there).toMatchObject({ host: '127.0.0.1', port: target.port, server: { version } });
    await there.close();
    const pid = target.probes.pid ?? 0;
    await target.close();
    await target.close();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

test.each([
  ['nats://', 'is no host or host:port'],
  ['nats://h:99999', '"h:99999" is no host or host:port'],
  ['nats://me:secret@h:x', 'target "nats://me:***@h:x"'],
  ['nats://h?monitr=x', 'unknown option "monitr"; there are monitor and profile'],
])('%s is refused', (spec, rule) => {
  expect(() => natsTarget(spec)).toThrow(rule);
});

test('a server that is not there is an error that says so', async () => {
  await expect(natsTarget('nats://127.0.0.1:1').open()).rejects.toThrow(/refused|CONNECTION/i);
});
