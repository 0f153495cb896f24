import { createServer, type IncomingMessage, METHODS, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createListener, type Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Lambda } from '../lambda/lambda.ts';
import { createFairAdmission } from '../processes/fair-admission.ts';
import { createHostCheck, hostNameOf, listenAddresses } from './allowed-hosts.ts';
import type { Cors } from './cors.ts';
import type { EdgeDecision, Forwarding } from './edge.ts';
import { type HttpRequest, splitTarget, toHttpEvent, withoutOrigin } from './http-event.ts';
import {
  errorResponse,
  type HttpResponse,
  INTERNAL_SERVER_ERROR,
  NOT_FOUND,
  SERVICE_UNAVAILABLE,
  toHttpResponse,
} from './http-response.ts';
import type { RouteMatch } from './routes.ts';
import { type StreamRoute, stream } from './stream-routes.ts';
import { isWebApp } from './web-app.ts';

/** Just above Lambda's limit of an event. Longer bodies are truncated to this size, so that the function refuses them as too long. */
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
  /** Returns the edge that serves a host name (without port); undefined if it is not one of hosted applications. The application may not exist. */
  appEdgeOf: (host: string) => AppEdge | undefined;
  /** Handlers of other pages by the first segment of their path, such as `/oidc`. */
  pages?: ReadonlyMap<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>;
  /** Serves the dashboard's files. */
  webApp?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** The edge of the applications of one hosting cell. */
interface AppEdge {
  decide: (request: IncomingMessage) => Promise<EdgeDecision>;
  /** Answers a request to an application from the edge's cache, or forwards it to the application. */
  serve: (to: Forwarding, request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

export interface HttpServer {
  stop(): Promise<void>;
}

const EMPTY = Buffer.alloc(0);

/** Returns the body up to the limit. Reads and discards the remainder, so that the client receives the response. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return EMPTY;
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

/** Returns the first segment of a path, such as `/oidc` for `/oidc/token`; empty if the path has only one. */
const firstSegment = (target: string): string => /^\/[^/?]*(?=\/)/.exec(target)?.[0] ?? '';

/** Identifies the caller of a request for the gateway: by its credentials, otherwise by its address. */
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

/** Returns the response to a request that Node's parser refuses. */
function parserErrorResponse(code: string | undefined): HttpResponse {
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
  return { method, target, rawHeaders, httpVersion, sourceIp, body: EMPTY };
}

const listenOn = (server: Server, port: number, address: string | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });

/** Returns the Host header of a request. */
function hostHeaderOf({ rawHeaders }: HttpRequest): string | undefined {
  const index = rawHeaders.findIndex((text, position) => position % 2 === 0 && text.toLowerCase() === 'host');
  return index < 0 ? undefined : rawHeaders[index + 1];
}

/**
 * Starts the server of the public port for the HTTP API, and for hosted applications by `Host`. Resolves when it listens.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { lambda, cors } = options;
  const admit = createFairAdmission();
  const isAllowedHost = createHostCheck(options.host);

  const handleApi = async (request: HttpRequest): Promise<HttpResponse> => {
    const match = options.route(request.method, splitTarget(request.target).path);
    if (!match) return NOT_FOUND;
    const { functionArn, timeoutMs } = match.route;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, undefined);
    });
    try {
      const invocation = lambda.invokeText(functionArn, JSON.stringify(toHttpEvent(request, match)));
      const result = await Promise.race([invocation, timeout]);
      return result === undefined ? SERVICE_UNAVAILABLE : toHttpResponse(JSON.parse(result));
    } catch {
      // The pool has logged the error.
      return INTERNAL_SERVER_ERROR;
    } finally {
      clearTimeout(timer);
    }
  };

  const withCors = async (request: HttpRequest, origin: string | undefined): Promise<HttpResponse> => {
    const response = await handleApi(request);
    if (!cors) return response;
    const headers = { ...response.headers };
    cors.decorate(origin, headers);
    return { ...response, headers };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', rawHeaders, httpVersion, headers, socket } = request;
    const edge = options.appEdgeOf(hostNameOf(headers.host));
    if (edge) {
      request.url = withoutOrigin(url);
      const decision = await edge.decide(request);
      if ('forwardTo' in decision) return edge.serve(decision, request, response);
      request.resume();
      writeResponse(response, { cookies: [], ...decision });
      return;
    }
    if (!isAllowedHost(headers.host)) {
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
    const httpRequest = { method, target: url, rawHeaders, httpVersion, sourceIp: peerAddress(socket), body };
    const streaming = options.streams?.get(splitTarget(url).path);
    if (streaming) {
      const decorate = (responseHeaders: Record<string, string>) => cors?.decorate(headers.origin, responseHeaders);
      await admit(callerOf(request), () => stream(lambda, streaming, httpRequest, response, decorate));
      return;
    }
    writeResponse(response, await admit(callerOf(request), () => withCors(httpRequest, headers.origin)));
  };

  const server = createServer(
    // The API answers requests without Host.
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
      if (!isAllowedHost(hostHeaderOf(unknown))) writeRaw(socket, FOREIGN_HOST);
      else void withCors(unknown, undefined).then((answer) => writeRaw(socket, answer));
    } else writeRaw(socket, parserErrorResponse(error.code));
  });
  const addresses = await listenAddresses(options.host);
  // A server listens on one address only. Further listeners pass their connections to it.
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
