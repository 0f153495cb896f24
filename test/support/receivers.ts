import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Identity, newAuthority, selfSigned } from '../../local/emulators/certificates.ts';

/** A request that a receiver recorded. */
export interface Received {
  /** Arrival of the request's first byte, in epoch milliseconds. */
  at: number;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Returns the number of connections that are open. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

type Behavior = (request: IncomingMessage, response: ServerResponse) => unknown;

async function listen(server: Server, protocol = 'http', port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

const countConnections = (server: Server) => () =>
  new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

/** Records a whole request and then responds. */
const recording =
  (received: Received[], behave: Behavior): Behavior =>
  (request, response) => {
    const at = Date.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      received.push({ at, path: request.url ?? '', headers, body: Buffer.concat(chunks).toString('utf8') });
      behave(request, response);
    });
  };

const respondOk: Behavior = (_, response) => response.end('ok');

/** A server that records its requests. */
async function startReceiver(
  server: HttpServer | HttpsServer,
  received: Received[],
  protocol: string,
  port = 0,
): Promise<Receiver> {
  // Only the sender's own limit ends its idle connections.
  server.keepAliveTimeout = 0;
  const url = await listen(server, protocol, port);
  return {
    url,
    received,
    connections: countConnections(server),
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts a receiver that records requests and responds with `behave`, by default with 200. */
export async function receiver(behave: Behavior = respondOk, port = 0): Promise<Receiver> {
  const received: Received[] = [];
  return await startReceiver(createHttpServer(recording(received, behave)), received, 'http', port);
}

/** Starts a TCP receiver with full control of the socket. */
async function rawReceiver(behave: (socket: Socket) => unknown): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => behave(socket));
  });
  const url = await listen(server);
  return {
    url,
    received: [],
    connections: countConnections(server),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const respondWith = (status: number, headers: Record<string, string> = {}, body = 'no'): Behavior => {
  return (_, response) => response.writeHead(status, headers).end(body);
};

/** Writes until the connection closes. */
function writeEndlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
    response.once('drain', write);
  };
  write();
}

function writeSlowly(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 50);
  response.once('close', () => clearInterval(timer));
}

/** 100 MB of zeros, compressed to 100 kB; created in advance. */
const gzipBomb = gzipSync(Buffer.alloc(100 * 1024 * 1024), { level: 1 });

/** Authority of the receivers' certificates. Senders have to trust it, so that only the intended defect fails. */
export const trustedAuthority = newAuthority('Known to the sender');
const LOCAL_NAMES = ['127.0.0.1', 'localhost'];
const TLS_FAILURE = { outcome: 'TLS', status: null } as const;

/** Starts a receiver behind TLS. */
export async function secureReceiver({ key, cert }: Identity = trustedAuthority.issue(LOCAL_NAMES)): Promise<Receiver> {
  const received: Received[] = [];
  const server = createHttpsServer({ key, cert }, recording(received, respondOk));
  // The tests check how the sender judges the certificate.
  server.on('tlsClientError', () => undefined);
  return await startReceiver(server, received, 'https');
}

/** Misbehaving receivers, by the outcome that a sender must report. */
export const FAILING_RECEIVERS = {
  'answers 500': { make: () => receiver(respondWith(500)), outcome: 'BAD_STATUS', status: 500 },
  'answers 410': { make: () => receiver(respondWith(410)), outcome: 'BAD_STATUS', status: 410 },
  'answers 301': { make: () => receiver(respondWith(301, { location: '/moved' })), outcome: 'REDIRECT', status: 301 },
  'resets on connect': {
    make: () => rawReceiver((socket) => socket.resetAndDestroy()),
    outcome: 'RESET',
    status: null,
  },
  'closes without a word': { make: () => rawReceiver((socket) => socket.end()), outcome: 'RESET', status: null },
  'hangs before the answer': { make: () => receiver(() => undefined), outcome: 'TIMEOUT', status: null },
  'hangs in the headers': {
    make: () => rawReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\nX-A: ')),
    outcome: 'TIMEOUT',
    status: null,
  },
  'trickles its body': {
    make: () => receiver((_, response) => writeSlowly(response.writeHead(200))),
    outcome: 'TIMEOUT',
    status: 200,
  },
  'sends a gigabyte': {
    make: () => receiver((_, response) => writeEndlessly(response)),
    outcome: 'DELIVERED',
    status: 200,
  },
  'sends a gzip bomb': {
    make: () => receiver((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipBomb)),
    outcome: 'DELIVERED',
    status: 200,
  },
  'sends a gigabyte with 500': {
    make: () => receiver((_, response) => writeEndlessly(response.writeHead(500))),
    outcome: 'BAD_STATUS',
    status: 500,
  },
  'lies about gzip': {
    make: () => receiver(respondWith(200, { 'content-encoding': 'gzip' }, 'not gzip')),
    outcome: 'BAD_RESPONSE',
    status: 200,
  },
  'breaks its chunking': {
    make: () =>
      rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n')),
    outcome: 'BAD_RESPONSE',
    status: 200,
  },
  'ends in the middle': {
    make: () => rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')),
    outcome: 'RESET',
    status: 200,
  },
  'sends a 100 kB header': {
    make: () => rawReceiver((socket) => socket.write(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`)),
    outcome: 'BAD_RESPONSE',
    status: null,
  },
  'speaks no HTTP': {
    make: () => rawReceiver((socket) => socket.end('SSH-2.0-x\r\n')),
    outcome: 'BAD_RESPONSE',
    status: null,
  },
  'switches protocols': {
    make: () => rawReceiver((socket) => socket.write('HTTP/1.1 101 Ha\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')),
    outcome: 'BAD_RESPONSE',
    status: null,
  },
  'only ever says 100': {
    make: () => rawReceiver((socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(3))),
    outcome: 'TIMEOUT',
    status: null,
  },
  'has a certificate for another name': {
    make: () => secureReceiver(trustedAuthority.issue(['other.example'])),
    ...TLS_FAILURE,
  },
  'has a certificate for another address': {
    make: () => secureReceiver(trustedAuthority.issue(['127.0.0.2'])),
    ...TLS_FAILURE,
  },
  'has a certificate that has expired': {
    make: () => secureReceiver(trustedAuthority.issue(LOCAL_NAMES, [-9, -1])),
    ...TLS_FAILURE,
  },
  'has a certificate that is not valid yet': {
    make: () => secureReceiver(trustedAuthority.issue(LOCAL_NAMES, [1, 9])),
    ...TLS_FAILURE,
  },
  'has signed its certificate itself': { make: () => secureReceiver(selfSigned(LOCAL_NAMES)), ...TLS_FAILURE },
  'has a certificate by an unknown authority': {
    make: () => secureReceiver(newAuthority('Unknown').issue(LOCAL_NAMES)),
    ...TLS_FAILURE,
  },
  'speaks http on https': {
    make: async () => {
      const made = await receiver();
      return { ...made, url: made.url.replace('http:', 'https:') };
    },
    outcome: 'TLS',
    status: null,
  },
  'is not there': {
    make: async () => {
      const made = await receiver();
      await made.stop();
      return made;
    },
    outcome: 'REFUSED',
    status: null,
  },
} as const;
