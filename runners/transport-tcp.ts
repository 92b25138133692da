import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Transport } from './transport.ts';

const readBufferBytes = 256 * 1024;
// Node counts a write as pending until the next turn even when the kernel took it at once; below this the
// other side is not called behind.
const behindBytes = 1024 * 1024;

/** A transport that tells when it needs written bytes no more, so that a writer can use their memory again. */
export interface RecyclingTransport extends Transport {
  onWritten(handler: (bytes: Uint8Array) => void): void;
}

export function isRecycling(transport: Transport): transport is RecyclingTransport {
  return 'onWritten' in transport;
}

/**
 * A TCP connection to a NATS server. It may be written to at once: bytes wait until it is established, and
 * a connection that is refused reports so through `onClose`.
 */
export function connectTcp(host: string, port: number): RecyclingTransport {
  return new TcpTransport(host, port);
}

class TcpTransport implements RecyclingTransport {
  readonly #socket: Socket;
  #data: (bytes: Uint8Array) => void = ignore;
  #written: (bytes: Uint8Array) => void = ignore;
  #close: (error: Error | null) => void = ignore;
  #error: Error | null = null;

  constructor(host: string, port: number) {
    const options = {
      host,
      port,
      noDelay: true,
      writableHighWaterMark: behindBytes,
      // One buffer for all reads: the contract says that bytes are only valid during the call.
      onread: {
        buffer: new Uint8Array(readBufferBytes),
        callback: (byteCount: number, buffer: Uint8Array): boolean => {
          this.#data(buffer.subarray(0, byteCount));
          return true;
        },
      },
    };
    this.#socket = connect(options);
    this.#socket.on('error', (error) => {
      this.#error = error;
    });
    this.#socket.on('close', () => this.#close(this.#error));
  }

  write(bytes: Uint8Array): boolean {
    return this.#socket.write(bytes, () => this.#written(bytes));
  }

  onWritten(handler: (bytes: Uint8Array) => void): void {
    this.#written = handler;
  }

  onData(handler: (bytes: Uint8Array) => void): void {
    this.#data = handler;
  }

  onDrain(handler: () => void): void {
    this.#socket.on('drain', handler);
  }

  onClose(handler: (error: Error | null) => void): void {
    this.#close = handler;
  }

  close(): void {
    this.#socket.destroy();
  }
}

function ignore(): void {}
