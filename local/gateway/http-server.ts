import { createServer, type IncomingMessage, METHODS, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Lambda } from '../lambda/lambda.ts';
import type { Cors } from './cors.ts';
import type { EdgeDecision } from './edge.ts';
import { type HttpRequest, httpEvent, splitTarget } from './http-event.ts';
import {
  type HttpAnswer,
  httpAnswer,
  INTERNAL_SERVER_ERROR,
  NOT_FOUND,
  refusal,
  SERVICE_UNAVAILABLE,
} from './http-response.ts';
import type { RouteMatch } from './routes.ts';
import { type StreamRoute, stream } from './stream-routes.ts';
import { isWebApp } from './web-app.ts';

/** Lambda's limit on an event. What is longer is cut to just over it, and the function says that it is too long. */
const LONGEST_BODY = 6 * 1024 * 1024 + 1024;

export interface FrontOptions {
  port: number;
  route: (method: string, path: string) => RouteMatch | undefined;
  lambda: Pick<Lambda, 'invokeText'>;
  cors: Cors | undefined;
  /** Paths whose function streams its answer, by path. */
  streams?: ReadonlyMap<string, StreamRoute>;
  /** Whether a host name (without port) belongs to a hosted application, or would. */
  isApp: (host: string) => boolean;
  edge: (request: IncomingMessage) => Promise<EdgeDecision>;
  /** Pages of others below the same address, by the first part of their path: `/oidc`. */
  pages?: ReadonlyMap<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>;
  /** The dashboard's files. */
  webApp?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Passes a request to the application behind a function URL's host. */
  forward: (urlHost: string, request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

export interface Front {
  stop(): Promise<void>;
}

const NOTHING = Buffer.alloc(0);

/** The body up to the limit; the rest is read and dropped, so that the client gets to hear the answer. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return NOTHING;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (length > LONGEST_BODY || !Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk);
    length += chunk.length;
  }
  const [only] = chunks;
  const body = chunks.length === 1 && only ? only : Buffer.concat(chunks);
  return body.length > LONGEST_BODY ? body.subarray(0, LONGEST_BODY) : body;
}

/** `/oidc` of `/oidc/token`. */
const firstPart = (target: string): string => /^\/[^/?]*(?=\/)/.exec(target)?.[0] ?? '';

const peer = (socket: Socket): string => (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');

function write(response: ServerResponse, { status, headers, cookies, body }: HttpAnswer): void {
  if (response.destroyed) return;
  const length = Buffer.byteLength(body);
  response.writeHead(status, {
    ...headers,
    ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}),
    ...(status === 204 || status === 304 ? {} : { 'content-length': length }),
  });
  response.end(body);
}

/** An answer on a socket that has no request, because what came is none. */
function writeRaw(socket: Duplex, { status, headers, body }: HttpAnswer): void {
  if (!socket.writable) return;
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${head}\r\n${body}`);
}

/** Why Node's parser gave up, in words for the one who sent it. */
function parseRefusal(code: string | undefined): HttpAnswer {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal(431, 'the request headers are larger than 64 KiB');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refusal(413, 'the chunk extensions of the request body are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'the request did not arrive in time');
    default:
      return refusal(400, 'this is not a valid HTTP request');
  }
}

/** A head whose only fault is a method that Node's parser does not know: that is for the function behind `$default`. */
function requestWithUnknownMethod(head: Buffer, sourceIp: string): HttpRequest | undefined {
  const [requestLine = '', ...lines] = (head.toString('latin1').split('\r\n\r\n', 1)[0] ?? '').split('\r\n');
  const [, method, target, httpVersion] =
    /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/(\d\.\d)$/.exec(requestLine) ?? [];
  if (!method || !target || !httpVersion) return undefined;
  const rawHeaders = lines.flatMap((line) => {
    const colon = line.indexOf(':');
    return colon > 0 ? [line.slice(0, colon), line.slice(colon + 1).trim()] : [];
  });
  return { method, target, rawHeaders, httpVersion, sourceIp, body: NOTHING };
}

/** The one public port: the HTTP API, and hosted applications by `Host`. Resolves when it listens; throws if it cannot. */
export async function startFront(options: FrontOptions): Promise<Front> {
  const { lambda, cors } = options;

  const api = async (request: HttpRequest): Promise<HttpAnswer> => {
    const match = options.route(request.method, splitTarget(request.target).path);
    if (!match) return NOT_FOUND;
    const { functionArn, timeoutMs } = match.route;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, undefined);
    });
    try {
      const invocation = lambda.invokeText(functionArn, JSON.stringify(httpEvent(request, match)));
      const result = await Promise.race([invocation, late]);
      return result === undefined ? SERVICE_UNAVAILABLE : httpAnswer(JSON.parse(result));
    } catch {
      // The pool has logged it.
      return INTERNAL_SERVER_ERROR;
    } finally {
      clearTimeout(timer);
    }
  };

  const decorated = async (request: HttpRequest, origin: string | undefined): Promise<HttpAnswer> => {
    const answer = await api(request);
    if (!cors) return answer;
    const headers = { ...answer.headers };
    cors.decorate(origin, headers);
    return { ...answer, headers };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', rawHeaders, httpVersion, headers, socket } = request;
    const host = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
    if (options.isApp(host)) {
      const decision = await options.edge(request);
      if ('forwardTo' in decision) return options.forward(decision.forwardTo, request, response);
      request.resume();
      write(response, { cookies: [], ...decision });
      return;
    }
    const page = options.pages?.get(firstPart(url));
    if (page) return page(request, response);
    if (options.webApp && isWebApp(method, url)) return options.webApp(request, response);
    const preflight = cors?.preflight(method, headers);
    if (preflight) {
      request.resume();
      write(response, { status: 204, headers: preflight, cookies: [], body: '' });
      return;
    }
    const body = await readBody(request);
    const asked = { method, target: url, rawHeaders, httpVersion, sourceIp: peer(socket), body };
    const streaming = options.streams?.get(splitTarget(url).path);
    if (streaming) {
      await stream(lambda, streaming, asked, response, (answered) => cors?.decorate(headers.origin, answered));
      return;
    }
    write(response, await decorated(asked, headers.origin));
  };

  const server = createServer(
    // A request without Host is for the API, and gets its answer from there.
    { maxHeaderSize: 64 * 1024, requireHostHeader: false, keepAliveTimeout: 65_000 },
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        if (request.destroyed && !request.complete) return;
        console.error(error);
        if (response.headersSent) response.destroy();
        else write(response, INTERNAL_SERVER_ERROR);
      });
    },
  );
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Duplex) => writeRaw(socket, refusal(400, 'CONNECT is not possible here')));
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) => {
    const unknown =
      error.code === 'HPE_INVALID_METHOD' && error.rawPacket && socket instanceof Socket
        ? requestWithUnknownMethod(error.rawPacket, peer(socket))
        : undefined;
    if (unknown && !METHODS.includes(unknown.method)) {
      void decorated(unknown, undefined).then((answer) => writeRaw(socket, answer));
    } else writeRaw(socket, parseRefusal(error.code));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, resolve);
  });
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 500);
      }),
  };
}
