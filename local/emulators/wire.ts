import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

/** A running stand-in of an AWS service. */
export interface StandIn {
  /** Base URL, for `AWS_ENDPOINT_URL_<SERVICE>`. */
  url: string;
  port: number;
  stop(): Promise<void>;
}

/** What every stand-in is started with. */
export interface StandInOptions {
  /** Where its state lives; a run that keeps nothing passes a directory that it removes at the end. */
  dataDir: string;
  /** Listens on 127.0.0.1; a free port when absent. */
  port?: number | undefined;
}

/** A refusal in the service's own form. */
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
  /** Path without the query, still percent-encoded: ARNs and keys carry encoded slashes. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface WireAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Bytes as they are, anything else as JSON. */
  body?: unknown;
}

type Answering = (request: WireRequest) => WireAnswer | Promise<WireAnswer>;

const refusal = (error: unknown): ServiceError => {
  if (error instanceof ServiceError) return error;
  if (error instanceof z.ZodError) return new ServiceError('ValidationException', z.prettifyError(error));
  if (error instanceof SyntaxError) return new ServiceError('SerializationException', error.message);
  console.error(error);
  return new ServiceError('InternalServerException', error instanceof Error ? error.message : String(error), 500);
};

/** Listens on 127.0.0.1, at a free port unless told. An answer that fails for a reason of its own ends the connection. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  port = 0,
): Promise<StandIn> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  // Longer than any client keeps an idle connection, so that none is closed under a request.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
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

/** Serves one service. What `answer` throws becomes an error document with `__type` and `X-Amzn-Errortype`. */
export const serve = (port: number | undefined, contentType: string, answer: Answering): Promise<StandIn> =>
  listen(async (request, response) => {
    const {
      status = 200,
      headers,
      body,
    } = await read(request)
      .then((bytes) => {
        const url = new URL(request.url ?? '/', 'http://localhost');
        const { method = 'GET', headers } = request;
        return answer({ method, path: url.pathname, query: url.searchParams, headers, body: bytes });
      })
      .catch((thrown: unknown): WireAnswer => {
        const { name, message, status } = refusal(thrown);
        // Services differ in the case of `message`; SDKs read either.
        const body = { __type: name, message, Message: message };
        return { status, headers: { 'x-amzn-errortype': name }, body };
      });
    response.writeHead(status, { 'content-type': contentType, 'x-amzn-requestid': randomUUID(), ...headers });
    response.end(Buffer.isBuffer(body) ? body : body === undefined ? '' : JSON.stringify(body));
  }, port);

async function read(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The body as JSON of a known shape; a document that does not fit is a ValidationException. */
export function parse<T extends z.ZodType>(schema: T, body: Buffer): z.output<T> {
  return schema.parse(body.length === 0 ? {} : JSON.parse(body.toString('utf8')));
}

/** The AWS JSON protocol: one path, the operation in `X-Amz-Target`. */
export function jsonOperations(operations: Record<string, (input: Buffer) => unknown>): Answering {
  return async ({ headers, body }) => {
    const name = String(headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    if (!operation)
      throw new ServiceError('UnknownOperationException', `Operation "${name}" is not part of this stand-in.`);
    return { body: await operation(body) };
  };
}
