// A golden target over a real nats-server: one process, one fresh store, one free loopback port; always ended.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Capability, ConnectionHandlers, GoldenConnection, GoldenTarget } from './golden-target.ts';

interface Waiter {
  readonly done: () => boolean;
  readonly end: () => void;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts `executable` with JetStream on a free port. `release` names its answer blocks, e.g. `2.10.27`. */
export async function openNatsTarget(executable: string, release: string): Promise<GoldenTarget> {
  const target = new NatsTarget(executable, release);
  await target.start();
  return target;
}

class NatsTarget implements GoldenTarget {
  readonly labels: readonly string[];
  readonly capabilities = new Set<Capability>(['restart']);
  readonly lateNs = 600e6; // two busy cores; the windows that scripts tell apart lie further apart than this
  readonly #executable: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'oncemark-golden-'));
  readonly #waiters = new Set<Waiter>();
  readonly #sockets = new Set<Socket>();
  #child: ChildProcess | null = null;
  #port = -1;

  constructor(executable: string, release: string) {
    this.#executable = executable;
    this.labels = [release];
  }

  async start(): Promise<void> {
    const address = ['-a', '127.0.0.1', '-p', String(this.#port), '--ports_file_dir', this.#directory];
    const child = spawn(this.#executable, [...address, '-js', '-sd', this.#directory], { stdio: 'ignore' });
    this.#child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    this.#port = await this.#portOf(child);
  }

  async connect(handlers: ConnectionHandlers): Promise<GoldenConnection> {
    const socket = connectSocket(this.#port, '127.0.0.1');
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.on('data', (bytes) => this.#tell(() => handlers.onBytes(bytes)));
    socket.on('error', () => socket.destroy()); // a killed server resets; `close` follows and is what counts
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#tell(() => handlers.onClose());
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return { send: (bytes) => socket.write(bytes), close: () => socket.destroy() };
  }

  nowNs(): number {
    return performance.now() * 1e6;
  }

  async pass(untilNs: number, done: () => boolean): Promise<void> {
    if (done()) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve();
      };
      const waiter: Waiter = { done, end };
      const timer = setTimeout(end, Math.max(0, (untilNs - this.nowNs()) / 1e6));
      this.#waiters.add(waiter);
    });
  }

  restart(): Promise<void> {
    return this.#again('SIGTERM');
  }

  kill(): Promise<void> {
    return this.#again('SIGKILL');
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.#end('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }

  async #again(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#end(signal);
    for (const socket of this.#sockets) socket.destroy();
    await this.start();
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  #tell(change: () => void): void {
    change();
    for (const waiter of this.#waiters) if (waiter.done()) waiter.end();
  }

  // The server writes its addresses into `<name>_<pid>.ports` once it listens and JetStream is up.
  async #portOf(child: ChildProcess): Promise<number> {
    const path = join(this.#directory, `nats-server_${child.pid}.ports`);
    for (let attempt = 0; attempt < 2000; attempt += 1) {
      const port = /"nats":\s*\["nats:\/\/[^"]*:(\d+)"/.exec(readIfThere(path))?.[1];
      if (port !== undefined) return Number(port);
      const code = child.exitCode;
      if (code !== null) throw new Error(`${this.#executable} ended with ${code} while starting`);
      await sleep(5);
    }
    throw new Error(`${this.#executable} told no port within 10 s`);
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
