import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { isPlatformCall, LOOPBACK } from '../gateway/allowed-hosts.ts';

/** A running emulator of an AWS service. */
export interface Emulator {
  /** Base URL, for `AWS_ENDPOINT_URL_<SERVICE>`. */
  url: string;
  port: number;
  stop(): Promise<void>;
}

/** Options of every emulator. */
export interface EmulatorOptions {
  /** Directory of the emulator's state. A run in memory passes a directory that it removes at its end. */
  dataDir: string;
  /** Port on 127.0.0.1. Default: a free port. */
  port?: number | undefined;
  /**
   * Enforces the limits of a new AWS account: request rates, quotas, intermediate states and latencies (strict.ts). Size limits
   * are always enforced.
   */
  strict?: boolean | undefined;
  /** The AWS accounts of the run. Default: the home account. */
  accounts?: readonly string[] | undefined;
}

/** An error response in the service's format. */
export class ServiceError extends Error {
  readonly status: number;
  constructor(name: string, message: string, status = 400) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

export interface WireRequest {
  method: string;
  /** Path without the query, still percent-encoded, because ARNs and keys contain encoded slashes. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface WireResponse {
  status?: number;
  headers?: Record<string, string>;
  /** Bytes are sent unchanged, anything else as JSON. */
  body?: unknown;
}

export type RequestHandler = (request: WireRequest) => WireResponse | Promise<WireResponse>;

/** Returns the response that denies a request; undefined if the caller's role allows it. */
export type Authorize = (request: WireRequest) => WireResponse | undefined;

let authorize: Authorize | undefined;

/** Sets the authorization of all requests to emulators of this process (local/iam/). Undefined allows all requests. */
export function authorizeRequests(authorizer: Authorize | undefined): void {
  authorize = authorizer;
}

const toErrorResponse = (error: unknown): ServiceError => {
  if (error instanceof ServiceError) return error;
  if (error instanceof z.ZodError) return new ServiceError('ValidationException', z.prettifyError(error));
  if (error instanceof SyntaxError) return new ServiceError('SerializationException', error.message);
  console.error(error);
  return new ServiceError('InternalServerException', error instanceof Error ? error.message : String(error), 500);
};

/**
 * Serves requests of the platform on 127.0.0.1, on a free port by default. Refuses requests of browsers. A rejection of `handle` closes the
 * connection.
 */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  port = 0,
): Promise<Emulator> {
  const server = createServer((request, response) => {
    if (!isPlatformCall(request.headers)) {
      request.resume();
      response
        .writeHead(403, { 'content-type': 'text/plain' })
        .end('Only the platform may call an emulator, at its own host name.\n');
      return;
    }
    handle(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  // Longer than clients keep idle connections, so that the server never closes a connection while a client sends a request.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Serves one service. Errors of `handle` become error documents with `__type` and `X-Amzn-Errortype`. */
export const serve = (port: number | undefined, contentType: string, handle: RequestHandler): Promise<Emulator> =>
  listen(async (request, response) => {
    const { status, headers, body } = await read(request)
      .then((bytes) => {
        const url = new URL(request.url ?? '/', 'http://localhost');
        const { method = 'GET', headers } = request;
        const wireRequest = { method, path: url.pathname, query: url.searchParams, headers, body: bytes };
        return authorize?.(wireRequest) ?? handle(wireRequest);
      })
      .catch((thrown: unknown): WireResponse => {
        const { name, message, status } = toErrorResponse(thrown);
        // Services differ in the case of `message`; SDKs accept both.
        const body = { __type: name, message, Message: message };
        return { status, headers: { 'x-amzn-errortype': name }, body };
      })
      .then(unpackResponse);
    response.writeHead(status, { 'content-type': contentType, 'x-amzn-requestid': randomUUID(), ...headers });
    response.end(body);
  }, port);

/** Returns the status, headers and bytes that are sent for a response. */
export const unpackResponse = ({ status = 200, headers = {}, body }: WireResponse) => ({
  status,
  headers,
  body: Buffer.isBuffer(body) ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body)),
});

async function read(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Parses a JSON body with a schema. Throws a ZodError, which becomes a ValidationException. */
export function parse<T extends z.ZodType>(schema: T, body: Buffer): z.output<T> {
  return schema.parse(body.length === 0 ? {} : JSON.parse(body.toString('utf8')));
}

/** Handles the AWS JSON protocol: one path, with the operation in `X-Amz-Target`. */
export function jsonOperations(operations: Record<string, (input: Buffer) => unknown>): RequestHandler {
  return async ({ headers, body }) => {
    const name = String(headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    if (!operation)
      throw new ServiceError('UnknownOperationException', `Operation "${name}" is not supported by this emulator.`);
    return { body: await operation(body) };
  };
}
