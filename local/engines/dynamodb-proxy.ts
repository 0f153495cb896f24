import { connect, createServer, type Socket } from 'node:net';
import { type Emulator, unpackResponse, type WireRequest, type WireResponse } from '../emulators/wire.ts';
import { LOOPBACK } from '../gateway/own-hosts.ts';
import { createPointInTime } from './point-in-time.ts';

export interface DynamoDbProxyOptions {
  port: number;
  /** Port of DynamoDB Local. */
  target: number;
  /** Returns the response that refuses a request; undefined lets it pass. */
  authorize: (request: WireRequest) => WireResponse | undefined;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Listens before DynamoDB Local, which knows no rights, and answers the requests that their callers have no right to, and those
 * of point-in-time recovery, which it lacks. Bytes
 * pass unchanged, each connection has one of its own to the database, and responses are not read
 * (docs/decisions/0034-local-iam.md has the cost).
 */
export async function startDynamoDbProxy({ port, target, authorize }: DynamoDbProxyOptions): Promise<Emulator> {
  const open = new Set<Socket>();
  const pointInTime = createPointInTime(`http://${LOOPBACK}:${target}`);
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
      const refused = authorize(request);
      const restored = refused ?? pointInTime(String(request.headers['x-amz-target']), request.body);
      if (restored === undefined) database.write(bytes);
      // A client waits for a response before it sends its next request.
      else
        Promise.resolve(restored).then(
          (response) => client.write(encodeResponse(response)),
          () => client.destroy(),
        );
    });
    client.on('data', (chunk) => {
      if (!read(chunk)) client.destroy();
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

/** A request whose content has not arrived in full. */
interface Head {
  request: Omit<WireRequest, 'body'>;
  /** Position of the first byte of the body, and of the first one after it. */
  bodyStart: number;
  end: number;
}

/**
 * Returns a function that takes a connection's bytes and calls `onRequest` with each complete request and its bytes. It
 * returns false for what is no HTTP request with a length: AWS's clients know the length of what they sign.
 */
export function createRequestReader(
  onRequest: (request: WireRequest, bytes: Buffer) => void,
): (chunk: Buffer) => boolean {
  let waiting: Buffer[] = [];
  let size = 0;
  let head: Head | undefined;
  return (chunk) => {
    waiting.push(chunk);
    size += chunk.length;
    while (size > 0) {
      if (head && size < head.end) return true;
      const [first = chunk] = waiting;
      const bytes = waiting.length === 1 ? first : Buffer.concat(waiting, size);
      waiting = [bytes];
      if (!head) {
        const headEnd = bytes.indexOf(HEAD_END);
        if (headEnd < 0) return size < MAX_HEAD_BYTES;
        head = parseHead(bytes, headEnd);
        if (!head) return false;
        if (size < head.end) return true;
      }
      const { request, bodyStart, end } = head;
      head = undefined;
      size -= end;
      waiting = size > 0 ? [bytes.subarray(end)] : [];
      onRequest({ ...request, body: bytes.subarray(bodyStart, end) }, bytes.subarray(0, end));
    }
    return true;
  };
}

const MAX_HEAD_BYTES = 64 * 1024;

function parseHead(bytes: Buffer, headEnd: number): Head | undefined {
  const [start = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [method = '', target = ''] = start.split(' ');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const length = Number(headers['content-length'] ?? 0);
  if (!Number.isSafeInteger(length) || length < 0 || headers['transfer-encoding'] !== undefined) return undefined;
  const [path = '/', query = ''] = target.split('?');
  const bodyStart = headEnd + HEAD_END.length;
  return {
    request: { method, path, query: new URLSearchParams(query), headers },
    bodyStart,
    end: bodyStart + length,
  };
}

function encodeResponse(response: WireResponse): Buffer {
  const { status, headers, body } = unpackResponse(response);
  const all = { ...headers, 'content-length': String(body.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Answered\r\n${lines.join('')}\r\n`), body]);
}
