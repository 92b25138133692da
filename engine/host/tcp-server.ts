import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { millisecond } from '../base/nanos.ts';
import type { ClientConnection } from './client-connection.ts';
import type { EngineLoop } from './engine-loop.ts';

/** The broker's door on TCP. */
export interface TcpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens at the options' address. Rejects when it cannot. */
export async function listen(loop: EngineLoop): Promise<TcpServer> {
  const { options } = loop.broker;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    accept(loop, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  loop.broker.port = port;
  return { port, close: () => close(server, sockets) };
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

function accept(loop: EngineLoop, socket: Socket): void {
  loop.enter();
  const connection = loop.broker.connect(socket.remoteAddress ?? '', {
    write: (bytes, written) => {
      if (!socket.destroyed) socket.write(bytes, () => written(bytes));
    },
    get pendingBytes() {
      return socket.writableLength;
    },
    close: () => {
      socket.destroySoon();
    },
  });
  socket.on('data', (chunk: Buffer) => {
    loop.enter();
    connection.feed(plainBytes(chunk));
  });
  socket.on('error', () => connection.close()); // the peer is gone; 'close' follows
  socket.on('close', () => connection.close());
  watch(loop, connection, socket);
}

// A Buffer's own `subarray` makes an object of Node's each time, which costs more than the copy it is made for; that
// of a plain array costs nothing.
function plainBytes(chunk: Buffer): Uint8Array {
  return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
}

// A client must connect in time, and answer pings; otherwise the connection is stale (spec 1.1).
function watch(loop: EngineLoop, connection: ClientConnection, socket: Socket): void {
  const { options } = loop.broker;
  const deadline =
    options.authorization === null
      ? null
      : setTimeout(() => {
          if (!connection.isConnected) connection.violation('Authentication Timeout');
        }, options.authorization.timeoutNs / millisecond);
  const pings = setInterval(() => {
    loop.enter();
    if (connection.pingsOut >= options.maxPingsOut) connection.violation('Stale Connection');
    else connection.sendPing();
  }, options.pingIntervalNs / millisecond);
  pings.unref();
  socket.once('close', () => {
    clearInterval(pings);
    if (deadline !== null) clearTimeout(deadline);
  });
}
