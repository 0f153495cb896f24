import { connect, createServer, type Socket } from 'node:net';
import { createRequestReader, encodeResponse, REFUSAL } from '../emulators/dynamodb/http.ts';
import { type Emulator, unpackResponse, type WireRequest, type WireResponse } from '../emulators/wire.ts';
import { isPlatformCall, LOOPBACK } from '../gateway/own-hosts.ts';

export interface DynamoDbProxyOptions {
  port: number;
  /** Port of the table's process. */
  target: number;
  /** Returns the response that refuses a request; undefined lets it pass. */
  authorize: (request: WireRequest) => WireResponse | undefined;
}

/**
 * Listens before the table's process, which knows no rights, and answers the requests that their callers have no right to. Bytes
 * pass unchanged, each connection has one of its own to the table, and responses are not read
 * (docs/decisions/0034-local-iam.md has the cost).
 */
export async function startDynamoDbProxy({ port, target, authorize }: DynamoDbProxyOptions): Promise<Emulator> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ port: target, host: LOOPBACK, noDelay: true });
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      open.add(socket);
      // The other side sees what it would see without a proxy: a broken connection.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    database.pipe(client);
    const read = createRequestReader((request, bytes) => {
      // What is no call of the platform, the table refuses.
      const refused = isPlatformCall(request.headers) ? authorize(request) : undefined;
      if (refused === undefined) {
        database.write(bytes);
        return;
      }
      // A client waits for a response before it sends its next request.
      const { status, headers, body } = unpackResponse(refused);
      client.write(encodeResponse(status, headers, body.toString('utf8')));
    });
    client.on('data', (chunk) => {
      if (!read(chunk)) client.end(REFUSAL);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
