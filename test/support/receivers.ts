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
import { type Identity, newAuthority, selfSigned } from './certificates.ts';

/** A delivery as a receiver saw it. */
export interface Received {
  /** Epoch milliseconds of the request's first byte, as seen here. */
  at: number;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  stop(): Promise<void>;
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => unknown;

async function listen(server: Server, protocol = 'http', port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** Notes a request whole, and then behaves. */
const noting =
  (received: Received[], behave: Behaviour): Behaviour =>
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

const fine: Behaviour = (_, response) => response.end('ok');

/** What listens, and notes what it gets. */
async function listening(
  server: HttpServer | HttpsServer,
  received: Received[],
  protocol: string,
  port = 0,
): Promise<Receiver> {
  const url = await listen(server, protocol, port);
  return {
    url,
    received,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A receiver that notes everything it gets and then does as told; 200 unless told. */
export async function receiver(behave: Behaviour = fine, port = 0): Promise<Receiver> {
  const received: Received[] = [];
  return await listening(createHttpServer(noting(received, behave)), received, 'http', port);
}

/** A receiver below HTTP: does what it likes with the socket. */
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
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const answers = (status: number, headers: Record<string, string> = {}, body = 'no'): Behaviour => {
  return (_, response) => response.writeHead(status, headers).end(body);
};

/** Writes for as long as it is listened to. */
function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
    response.once('drain', write);
  };
  write();
}

function trickle(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 50);
  response.once('close', () => clearInterval(timer));
}

/** 100 MB of zeros in 100 kB; made before anybody waits for it. */
const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024), { level: 1 });

/** An authority that whoever sends to these receivers has to trust, for what is wrong with their certificates to show. */
export const known = newAuthority('Known to the sender');
const HERE = ['127.0.0.1', 'localhost'];
const REFUSED = { outcome: 'TLS', status: null } as const;

/** The same behind TLS. */
export async function secureReceiver({ key, cert }: Identity = known.issue(HERE)): Promise<Receiver> {
  const received: Received[] = [];
  const server = createHttpsServer({ key, cert }, noting(received, fine));
  // What a sender thinks of the certificate is what the tests look at.
  server.on('tlsClientError', () => undefined);
  return await listening(server, received, 'https');
}

/** Receivers of every nasty kind, each by what a sender must call it. */
export const NASTY = {
  'answers 500': { make: () => receiver(answers(500)), outcome: 'BAD_STATUS', status: 500 },
  'answers 410': { make: () => receiver(answers(410)), outcome: 'BAD_STATUS', status: 410 },
  'answers 301': { make: () => receiver(answers(301, { location: '/moved' })), outcome: 'REDIRECT', status: 301 },
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
    make: () => receiver((_, response) => trickle(response.writeHead(200))),
    outcome: 'TIMEOUT',
    status: 200,
  },
  'sends a gigabyte': { make: () => receiver((_, response) => pour(response)), outcome: 'DELIVERED', status: 200 },
  'sends a gzip bomb': {
    make: () => receiver((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
    outcome: 'DELIVERED',
    status: 200,
  },
  'sends a gigabyte with 500': {
    make: () => receiver((_, response) => pour(response.writeHead(500))),
    outcome: 'BAD_STATUS',
    status: 500,
  },
  'lies about gzip': {
    make: () => receiver(answers(200, { 'content-encoding': 'gzip' }, 'not gzip')),
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
  'has a certificate for another name': { make: () => secureReceiver(known.issue(['other.example'])), ...REFUSED },
  'has a certificate for another address': { make: () => secureReceiver(known.issue(['127.0.0.2'])), ...REFUSED },
  'has a certificate that has expired': { make: () => secureReceiver(known.issue(HERE, [-9, -1])), ...REFUSED },
  'has a certificate that is not valid yet': { make: () => secureReceiver(known.issue(HERE, [1, 9])), ...REFUSED },
  'has signed its certificate itself': { make: () => secureReceiver(selfSigned(HERE)), ...REFUSED },
  'has a certificate by an authority that nobody knows': {
    make: () => secureReceiver(newAuthority('Nobody').issue(HERE)),
    ...REFUSED,
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
