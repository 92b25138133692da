// The bare connection of protocol scripts: what is sent and what comes back are lines of bytes.

import type { GoldenConnection, GoldenTarget } from './golden-target.ts';

const pong = 'PONG\r\n';

/** A connection and what came over it; a new one for every `open`. */
interface Wire {
  readonly connection: GoldenConnection;
  readonly state: { received: string; isClosed: boolean };
}

export class RawClient {
  readonly #target: GoldenTarget;
  #wire: Wire | null = null;

  constructor(target: GoldenTarget) {
    this.#target = target;
  }

  /** Connects anew, and drops the INFO that every connection begins with. */
  async open(): Promise<readonly string[]> {
    this.close();
    const state = { received: '', isClosed: false };
    const connection = await this.#target.connect({
      onBytes: (bytes) => (state.received += Buffer.from(bytes).toString('latin1')),
      onClose: () => (state.isClosed = true),
    });
    this.#wire = { connection, state };
    await this.#until(() => state.received.includes('\r\n'));
    const info = state.received.slice(0, 5);
    state.received = state.received.slice(state.received.indexOf('\r\n') + 2);
    return info === 'INFO ' ? [] : [`no INFO, but ${info}`];
  }

  /** Sends a line; CRLF is put behind it. */
  send(line: string): Promise<readonly string[]> {
    this.#opened().connection.send(Buffer.from(`${line}\r\n`, 'latin1'));
    return Promise.resolve([]);
  }

  /**
   * PING, and every line that came because of it or before it, or `closed`. The JSON of an INFO is left out.
   * A second PING, whose PONG is not printed, marks the end: some releases send an INFO behind the first PONG.
   */
  async sync(): Promise<readonly string[]> {
    const { state } = this.#opened();
    await this.send('PING');
    await this.#until(() => state.isClosed || state.received.includes(pong));
    if (!state.isClosed) await this.send('PING');
    await this.#until(() => state.isClosed || state.received.split(pong).length > 2);
    const lines = state.received.split('\r\n').slice(0, -1);
    state.received = '';
    const printed = lines.map((line) => `${line.startsWith('INFO ') ? 'INFO' : line}\\r\\n`);
    return state.isClosed ? [...printed, 'closed'] : printed.slice(0, -1);
  }

  close(): void {
    this.#wire?.connection.close();
  }

  #opened(): Wire {
    if (this.#wire === null) throw new Error('the script has not said `open` yet');
    return this.#wire;
  }

  #until(done: () => boolean): Promise<void> {
    return this.#target.pass(this.#target.nowNs() + 3e9, done);
  }
}

/** `\r` and `\n` in a script's line are those bytes. */
export function unescapeBytes(text: string): string {
  return text.replaceAll('\\r', '\r').replaceAll('\\n', '\n');
}
