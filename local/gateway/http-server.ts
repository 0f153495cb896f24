import { createServer, type IncomingMessage, METHODS, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createListener, type Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Lambda } from '../lambda/lambda.ts';
import { createFairAdmission } from '../processes/fair-admission.ts';
import type { Cors } from './cors.ts';
import type { EdgeDecision, Forwarding } from './edge.ts';
import { type HttpRequest, splitTarget, toHttpEvent } from './http-event.ts';
import {
  errorResponse,
  type HttpResponse,
  INTERNAL_SERVER_ERROR,
  NOT_FOUND,
  SERVICE_UNAVAILABLE,
  toHttpResponse,
} from './http-response.ts';
import { createOwnHosts, hostNameOf, listenAddresses } from './own-hosts.ts';
import type { RouteMatch } from './routes.ts';
import { type StreamRoute, stream } from './stream-routes.ts';
import { isWebApp } from './web-app.ts';

/** Lambda's limit of an event. A longer body is cut just above it, and the function answers that it is too long. */
const MAX_BODY_BYTES = 6 * 1024 * 1024 + 1024;

export interface HttpServerOptions {
  port: number;
  /** Address to listen on, or a name that resolves to it. */
  host: string;
  route: (method: string, path: string) => RouteMatch | undefined;
  lambda: Pick<Lambda, 'invokeText'>;
  cors: Cors | undefined;
  /** Paths whose functions stream their responses. */
  streams?: ReadonlyMap<string, StreamRoute>;
  /** Returns the edge of a host name (without port) of hosted applications, whether or not the application exists. */
  appEdgeOf: (host: string) => AppEdge | undefined;
  /** Handlers of other pages by the first segment of their path: `/oidc`. */
  pages?: ReadonlyMap<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>;
  /** Serves the dashboard's files. */
  webApp?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** The edge of the applications of one hosting cell. */
interface AppEdge {
  decide: (request: IncomingMessage) => Promise<EdgeDecision>;
  /** Answers a request to an application from the edge's cache, or passes it to the application behind a function URL's host. */
  serve: (to: Forwarding, request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

export interface HttpServer {
  stop(): Promise<void>;
}

const NOTHING = Buffer.alloc(0);

/** Returns the body up to the limit. Reads and discards the rest, so that the client receives the response. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return NOTHING;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (length > MAX_BODY_BYTES || !Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk);
    length += chunk.length;
  }
  const [only] = chunks;
  const body = chunks.length === 1 && only ? only : Buffer.concat(chunks);
  return body.length > MAX_BODY_BYTES ? body.subarray(0, MAX_BODY_BYTES) : body;
}

/** Returns the first segment of a path: `/oidc` of `/oidc/token`. */
const firstSegment = (target: string): string => /^\/[^/?]*(?=\/)/.exec(target)?.[0] ?? '';

/** Returns who sends a request, as far as the gateway can know: its credentials, otherwise its address. */
const callerOf = ({ headers, socket }: IncomingMessage): string =>
  String(headers.authorization ?? headers['x-public-key'] ?? peerAddress(socket));

const peerAddress = (socket: Socket): string => (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');

function writeResponse(response: ServerResponse, { status, headers, cookies, body }: HttpResponse): void {
  if (response.destroyed) return;
  const length = Buffer.byteLength(body);
  response.writeHead(status, {
    ...headers,
    ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}),
    ...(status === 204 || status === 304 ? {} : { 'content-length': length }),
  });
  response.end(body);
}

/** Writes a response to a socket whose input was not a valid request. */
function writeRaw(socket: Duplex, { status, headers, body }: HttpResponse): void {
  if (!socket.writable) return;
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${head}\r\n${body}`);
}

const FOREIGN_HOST = errorResponse(403, 'This host name is not one of the platform’s.', 'forbidden');

/** Explains a parser error to the client. */
function parseRefusal(code: string | undefined): HttpResponse {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return errorResponse(431, 'The request headers are larger than 64 KiB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return errorResponse(413, 'The chunk extensions of the request body are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return errorResponse(408, 'The request did not arrive in time.');
    default:
      return errorResponse(400, 'The request is not valid HTTP.');
  }
}

/** Parses a request whose only error is a method unknown to Node's parser, for the function of `$default`. */
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

const listenOn = (server: Server, port: number, address: string | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });

/** Returns the Host header of a request. */
function hostHeaderOf({ rawHeaders }: HttpRequest): string | undefined {
  const name = rawHeaders.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === 'host');
  return name < 0 ? undefined : rawHeaders[name + 1];
}

/**
 * Starts the server of the public port: the HTTP API, and hosted applications by `Host`. Resolves when it listens;
 * throws if it cannot.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { lambda, cors } = options;
  const admit = createFairAdmission();
  const isOwnHost = createOwnHosts(options.host);

  const handleApi = async (request: HttpRequest): Promise<HttpResponse> => {
    const match = options.route(request.method, splitTarget(request.target).path);
    if (!match) return NOT_FOUND;
    const { functionArn, timeoutMs } = match.route;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, undefined);
    });
    try {
      const invocation = lambda.invokeText(functionArn, JSON.stringify(toHttpEvent(request, match)));
      const result = await Promise.race([invocation, late]);
      return result === undefined ? SERVICE_UNAVAILABLE : toHttpResponse(JSON.parse(result));
    } catch {
      // The pool has logged the error.
      return INTERNAL_SERVER_ERROR;
    } finally {
      clearTimeout(timer);
    }
  };

  const withCors = async (request: HttpRequest, origin: string | undefined): Promise<HttpResponse> => {
    const answer = await handleApi(request);
    if (!cors) return answer;
    const headers = { ...answer.headers };
    cors.decorate(origin, headers);
    return { ...answer, headers };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', rawHeaders, httpVersion, headers, socket } = request;
    const edge = options.appEdgeOf(hostNameOf(headers.host));
    if (edge) {
      const decision = await edge.decide(request);
      if ('forwardTo' in decision) return edge.serve(decision, request, response);
      request.resume();
      writeResponse(response, { cookies: [], ...decision });
      return;
    }
    if (!isOwnHost(headers.host)) {
      request.resume();
      writeResponse(response, FOREIGN_HOST);
      return;
    }
    const page = options.pages?.get(firstSegment(url));
    if (page) return page(request, response);
    if (options.webApp && isWebApp(method, url)) return options.webApp(request, response);
    const preflight = cors?.preflight(method, headers);
    if (preflight) {
      request.resume();
      writeResponse(response, { status: 204, headers: preflight, cookies: [], body: '' });
      return;
    }
    const body = await readBody(request);
    const asked = { method, target: url, rawHeaders, httpVersion, sourceIp: peerAddress(socket), body };
    const streaming = options.streams?.get(splitTarget(url).path);
    if (streaming) {
      const decorate = (answered: Record<string, string>) => cors?.decorate(headers.origin, answered);
      await admit(callerOf(request), () => stream(lambda, streaming, asked, response, decorate));
      return;
    }
    writeResponse(response, await admit(callerOf(request), () => withCors(asked, headers.origin)));
  };

  const server = createServer(
    // A request without Host goes to the API, which answers it.
    { maxHeaderSize: 64 * 1024, requireHostHeader: false, keepAliveTimeout: 65_000 },
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        if (request.destroyed && !request.complete) return;
        console.error(error);
        if (response.headersSent) response.destroy();
        else writeResponse(response, INTERNAL_SERVER_ERROR);
      });
    },
  );
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Duplex) => writeRaw(socket, errorResponse(400, 'CONNECT is not supported.')));
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) => {
    const unknown =
      error.code === 'HPE_INVALID_METHOD' && error.rawPacket && socket instanceof Socket
        ? requestWithUnknownMethod(error.rawPacket, peerAddress(socket))
        : undefined;
    if (unknown && !METHODS.includes(unknown.method)) {
      if (!isOwnHost(hostHeaderOf(unknown))) writeRaw(socket, FOREIGN_HOST);
      else void withCors(unknown, undefined).then((answer) => writeRaw(socket, answer));
    } else writeRaw(socket, parseRefusal(error.code));
  });
  const addresses = await listenAddresses(options.host);
  // A server listens on one address; connections to others are handed to it.
  const listeners = addresses.map((_, index) =>
    index === 0 ? server : createListener((socket) => server.emit('connection', socket)),
  );
  try {
    await Promise.all(listeners.map((each, index) => listenOn(each, options.port, addresses[index])));
  } catch (error) {
    for (const each of listeners) each.close();
    throw error;
  }
  return {
    stop: () =>
      new Promise((resolve) => {
        for (const each of listeners.slice(1)) each.close();
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 500);
      }),
  };
}
