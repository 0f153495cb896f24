import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createContext, Script } from 'node:vm';
import * as z from 'zod';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';

/** The edge's decision about a request to a hosted application. */
export type EdgeDecision = Forwarding | { status: number; headers: Record<string, string>; body: string };

/** A request that is forwarded to an application, unless the response is cached. */
export interface Forwarding {
  forwardTo: string;
  /** The request's headers after the edge function, from which the cache key is formed. */
  headers: Record<string, string>;
}

/** Returns a value of the KeyValueStore. */
export type Lookup = (key: string) => string | undefined;

/**
 * Headers from clients that edge functions do not see (Amazon CloudFront Developer Guide, "Restrictions on all edge functions").
 */
const HIDDEN_HEADERS = /^(connection|expect|keep-alive|proxy-.+|trailer|upgrade|x-accel-.+|x-amz-cf-.+|x-edge-.+)$/;

/** Returns a request's headers in the form in which an edge function sees them. */
const visibleHeaders = (headers: IncomingHttpHeaders): JsonObject =>
  Object.fromEntries(
    Object.entries({ host: '', ...headers })
      .filter(([name]) => !HIDDEN_HEADERS.test(name))
      .map(([name, value]) => [name, { value: String(value) }]),
  );

const text = (header: Json | undefined): string => (isObject(header) ? String(header.value ?? '') : '');

const textsOf = (headers: Json | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(isObject(headers) ? headers : {}).map(([name, header]) => [name, text(header)]));

const Routing = z.object({
  FunctionCode: z.string(),
  FunctionConfig: z.object({
    KeyValueStoreAssociations: z.array(z.object({ KeyValueStoreARN: z.string() })).min(1),
  }),
});

/** A CloudFront Function that routes applications by host name, and the ARN of the store that it reads. */
interface EdgeFunction {
  name: string;
  code: string;
  store: string;
}

/** Returns the template's CloudFront Function that routes the applications of an account. */
export function findEdgeFunction(template: Template, account: string): EdgeFunction {
  for (const { name, account: owner, properties } of template.resources('AWS::CloudFront::Function')) {
    const { data } = Routing.safeParse(properties);
    const [association] = data?.FunctionConfig.KeyValueStoreAssociations ?? [];
    if (owner === account && data && association)
      return { name, code: data.FunctionCode, store: association.KeyValueStoreARN };
  }
  throw new Error(`The template has no CloudFront Function of ${account} that reads the routes`);
}

/** CloudFront's response to a method that the distribution does not allow (Developer Guide, "HTTP 403 status code"). */
const METHOD_NOT_ALLOWED: EdgeDecision = {
  status: 403,
  headers: { 'content-type': 'text/html' },
  body: 'Bad request. This distribution is not configured to allow the HTTP request method that was used for this request.\n',
};

/**
 * Runs the template's CloudFront Function that routes applications by host name: the same code as at the edge, including its
 * pages, with the KeyValueStore emulator.
 * @param lookup reads the function's store
 * @param allowedMethods the methods that the distribution allows
 */
export function createEdge(
  routing: EdgeFunction,
  lookup: Lookup,
  allowedMethods: readonly string[],
): (request: IncomingMessage) => Promise<EdgeDecision> {
  const code = routing.code.replace(/^\s*import\s+(\w+)\s+from\s+'cloudfront';?/m, '');

  // `updateRequestOrigin` has no reference to its request, and several requests run concurrently.
  const origins = new AsyncLocalStorage<{ target: string }>();
  const cf = {
    kvs: () => ({
      exists: async (key: string) => lookup(key) !== undefined,
      get: async (key: string) => {
        const found = lookup(key);
        if (found === undefined) throw new Error('KeyNotFound');
        return found;
      },
    }),
    updateRequestOrigin: ({ domainName }: { domainName: string }) => {
      const origin = origins.getStore();
      if (origin) origin.target = domainName;
    },
  };
  const context = createContext({ cf, console });
  new Script(code, { filename: `${routing.name}.js` }).runInContext(context);
  const handler: unknown = context.handler;
  if (typeof handler !== 'function') throw new Error(`${routing.name} has no function named handler`);

  return async ({ method = 'GET', url, headers, socket }) => {
    if (!allowedMethods.includes(method)) return METHOD_NOT_ALLOWED;
    const event: JsonObject = {
      version: '1.0',
      context: { requestId: randomUUID() },
      viewer: { ip: socket.remoteAddress ?? '' },
      request: {
        method,
        uri: (url ?? '/').replace(/\?.*$/s, ''),
        querystring: {},
        headers: visibleHeaders(headers),
        cookies: {},
      },
    };
    const origin = { target: '' };
    const result: Json = await origins.run(origin, () => handler(event));
    if (!isObject(result)) throw new Error(`${routing.name} returned neither a request nor a response`);
    const headersOut = textsOf(result.headers);
    if (result.statusCode === undefined) return { forwardTo: origin.target, headers: headersOut };
    return { status: Number(result.statusCode), headers: headersOut, body: String(result.body ?? '') };
  };
}
