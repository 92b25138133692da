// Tests that need something real (a nats-server, a browser) ask here. Missing means skipped with a printed line on a
// developer's machine, and failed where ONCEMARK_REQUIRE_REAL=1 says that everything must be there.

import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Whether tests that need `name` can run: `describe.skipIf(!requireReal(…))`.
 * Throws where ONCEMARK_REQUIRE_REAL=1 and it is not available; `reason` says what was looked for.
 */
export function requireReal(name: string, available: boolean, reason: string): boolean {
  if (available) return true;
  if (process.env['ONCEMARK_REQUIRE_REAL'] === '1') {
    throw new Error(`${name} is required by ONCEMARK_REQUIRE_REAL=1 and missing: ${reason}`);
  }
  process.stderr.write(`skipped, no ${name}: ${reason}\n`);
  return false;
}

export type NatsServerVersion = '2.9.10' | '2.10.27' | '2.15.1';

/** Path of that release's executable under NATS_SERVERS_DIR or ~/.cache/nats-servers, or null. */
export function natsServerPath(version: NatsServerVersion): string | null {
  const directory = process.env['NATS_SERVERS_DIR'] ?? join(homedir(), '.cache', 'nats-servers');
  const path = join(directory, version, 'nats-server');
  return isExecutable(path) ? path : null;
}

/** `requireReal` for a release of nats-server. */
export function requireNatsServer(version: NatsServerVersion): boolean {
  const looked = 'looked for VERSION/nats-server in NATS_SERVERS_DIR and ~/.cache/nats-servers';
  return requireReal(`nats-server ${version}`, natsServerPath(version) !== null, looked);
}

/** Path of a Chromium: CHROMIUM_PATH, or the places where Linux distributions put it; null when there is none. */
export function chromiumPath(): string | null {
  const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const named = process.env['CHROMIUM_PATH'];
  return [...(named === undefined ? [] : [named]), ...places].find((path) => existsSync(path)) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
