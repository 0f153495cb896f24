import { createServer, type Socket } from 'node:net';
import { LOOPBACK } from '../gateway/allowed-hosts.ts';

/** Serves connections on a loopback port. An error of a connection closes only that connection; `stop` closes all. */
export async function serveSockets(
  port: number,
  onConnection: (socket: Socket) => void,
): Promise<{ stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
