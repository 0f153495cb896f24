import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Handler } from './site.ts';

/** A handler of requests in the form of web standards, which servers export as `{ fetch }`. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** A handler in Node's form, such as an application of Express. */
type NodeHandler = (message: IncomingMessage, response: ServerResponse) => unknown;
/** Its parameters, at least. */
const NODE_PARAMETERS = 2;

/**
 * Returns a handler of Node's requests from the default export of a module: an object with `fetch`, a function in the form of web standards,
 * or one in Node's form. Returns undefined if it is none of these.
 */
export function handlerOf(module: unknown): Handler | undefined {
  const { default: outer } = module as { default?: { default?: unknown; __esModule?: unknown } | null };
  // TypeScript compiles a default export to a property of what a CommonJS module exports.
  const exported = outer?.__esModule === true ? outer.default : outer;
  const { fetch } = (exported ?? {}) as { fetch?: unknown };
  if (typeof fetch === 'function') return answerWithFetch.bind(undefined, (request) => fetch.call(exported, request));
  if (typeof exported !== 'function') return undefined;
  return exported.length < NODE_PARAMETERS
    ? answerWithFetch.bind(undefined, exported as Fetch)
    : async (message, response) => void (await (exported as NodeHandler)(message, response));
}

/** Answers a request of Node with a handler. Rejects if the handler fails before it has answered. */
export async function answerWithFetch(fetch: Fetch, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const departure = new AbortController();
  response.once('close', () => departure.abort());
  const request = requestOf(message, departure.signal);
  if (request === undefined) return void response.writeHead(400).end();
  const { status, statusText, headers, body } = await fetch(request);
  for (const [name, value] of headers) if (name !== 'set-cookie') response.setHeader(name, value);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.writeHead(status, ...(statusText === '' ? [] : [statusText]));
  if (body === null || message.method === 'HEAD') {
    response.end();
    return await body?.cancel();
  }
  // Events may arrive long after the head.
  response.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), response);
  } catch (error) {
    // A visitor who leaves is no failure of the application.
    if (!departure.signal.aborted) console.error(error);
  }
}

/** Returns a request in the form of web standards, with the address that the visitor requested; undefined if that is invalid. */
function requestOf(message: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '/', headersDistinct } = message;
  const { host = ['localhost'], 'x-forwarded-proto': protocol = ['http'] } = headersDistinct;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    return new Request(`${protocol[0]}://${host[0]}${url}`, {
      method,
      headers,
      signal,
      ...(hasBody ? { body: Readable.toWeb(message) as ReadableStream, duplex: 'half' } : {}),
    } as RequestInit);
  } catch {
    return undefined;
  }
}
