// Servers that we start. They live in sessions of their own, so that Ctrl-C ends a trial and not its server, and they
// are ended on every way out: by close, by the exit handler, and by a guard when this process is killed outright.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const outputCharactersMax = 4000;
const politeMilliseconds = 2000;

const alive = new Set<ServerProcess>();

// Waits for our end of its input: a line means that all was cleaned up, its plain end that we died.
export const guardScript = 'read line && exit 0; kill -9 "$1" 2>/dev/null; rm -rf -- "$2"';

export interface ServerProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Removed when the process has ended; see `scratchFolder`. */
  readonly folder: string;
}

/** A fresh folder under the system's temporary directory. */
export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), 'oncemark-'));
}

/** A server process of ours, its last output, and its folder. */
export class ServerProcess {
  readonly pid: number;
  readonly folder: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #guard: ChildProcessWithoutNullStreams | null;
  readonly #exited: Promise<void>;
  #output = '';
  #end: string | null = null;
  #closing: Promise<void> | null = null;

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, folder: string) {
    this.#child = child;
    this.pid = pid;
    this.folder = folder;
    this.#guard = process.platform === 'win32' ? null : startGuard(pid, folder);
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#end = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
        resolve();
      });
    });
    const keep = (text: string): void => {
      this.#output = (this.#output + text).slice(-outputCharactersMax);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    alive.add(this);
  }

  /** Throws when the command cannot be started. */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    endAllAtExit();
    const child = spawn(options.command, [...options.args], { detached: true, stdio: 'pipe' });
    const failure = once(child, 'error');
    // In the same turn as spawn, so that there is no moment in which a server has no guard.
    if (child.pid !== undefined) return new ServerProcess(child, child.pid, options.folder);
    const [error] = (await failure) as [Error];
    rmSync(options.folder, { recursive: true, force: true });
    throw new Error(`${options.command} cannot be started: ${error.message}`, { cause: error });
  }

  /** Standard output and error so far, at most the last 4000 characters. */
  get output(): string {
    return this.#output;
  }

  /** How it ended, or null while it runs. */
  get end(): string | null {
    return this.#end;
  }

  /** Calls `ready` until it gives something. Throws when the process ends before, or after `milliseconds`. */
  async waitFor<T>(
    what: string,
    ready: () => Promise<T | null> | T | null,
    milliseconds: number,
  ): Promise<T> {
    const deadline = performance.now() + milliseconds;
    for (;;) {
      const found = await ready();
      if (found !== null) return found;
      if (this.#end !== null) {
        throw new Error(`the server ${this.#end} before ${what}: ${lastLine(this.#output)}`);
      }
      if (performance.now() > deadline) {
        throw new Error(`no ${what} within ${milliseconds} ms: ${lastLine(this.#output)}`);
      }
      await pause(10);
    }
  }

  /** Ends it, politely first, and removes its folder. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#end === null) {
      this.#child.kill('SIGTERM');
      const forced = setTimeout(() => this.#child.kill('SIGKILL'), politeMilliseconds);
      await this.#exited;
      clearTimeout(forced);
    }
    this.#removeTraces();
  }

  /** For the exit handler, where nothing can be awaited. */
  closeNow(): void {
    if (this.#end === null) this.#child.kill('SIGKILL');
    this.#removeTraces();
  }

  #removeTraces(): void {
    alive.delete(this);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
    this.#guard?.stdin.end('cleaned\n');
  }
}

let isHandlerSet = false;

function endAllAtExit(): void {
  if (isHandlerSet) return;
  isHandlerSet = true;
  process.on('exit', () => {
    for (const server of alive) server.closeNow();
  });
}

function startGuard(pid: number, folder: string): ChildProcessWithoutNullStreams {
  const guard = spawn('sh', ['-c', guardScript, 'guard', String(pid), folder], {
    detached: true,
    stdio: 'pipe',
  });
  guard.on('error', () => guard.stdin.destroy()); // no sh on this machine: the exit handler remains
  guard.stdin.on('error', () => guard.stdin.destroy());
  guard.stdout.resume();
  guard.stderr.resume();
  guard.unref();
  return guard;
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1) ?? '';
}
