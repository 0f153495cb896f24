import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createContext, Script } from 'node:vm';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';

/** The edge's decision about a request to a hosted application. */
export type EdgeDecision = { forwardTo: string } | { status: number; headers: Record<string, string>; body: string };

/** Reads one value of the KeyValueStore. */
export type Lookup = (key: string) => string | undefined;

/**
 * Headers that no edge function sees (Amazon CloudFront Developer Guide, "Restrictions on all edge functions"), as far as
 * clients send them.
 */
const HIDDEN_HEADERS = /^(connection|expect|keep-alive|proxy-.+|trailer|upgrade|x-accel-.+|x-amz-cf-.+|x-edge-.+)$/;

/** Returns a request's headers as an edge function sees them. */
const visibleHeaders = (headers: IncomingHttpHeaders): JsonObject =>
  Object.fromEntries(
    Object.entries({ host: '', ...headers })
      .filter(([name]) => !HIDDEN_HEADERS.test(name))
      .map(([name, each]) => [name, { value: String(each) }]),
  );

const value = (header: Json | undefined): string => (isObject(header) ? String(header.value ?? '') : '');

/**
 * Runs the template's CloudFront Function that routes applications by host name: the same code as at the edge, pages
 * included, with the KeyValueStore emulator.
 */
export function createEdge(template: Template, lookup: Lookup): (request: IncomingMessage) => Promise<EdgeDecision> {
  const routing = template
    .resources('AWS::CloudFront::Function')
    .find(
      ({ properties }) => isObject(properties.FunctionConfig) && properties.FunctionConfig.KeyValueStoreAssociations,
    );
  if (!routing) throw new Error('The template has no CloudFront Function that reads the routes');
  const code = String(routing.properties.FunctionCode).replace(/^\s*import\s+(\w+)\s+from\s+'cloudfront';?/m, '');

  // `updateRequestOrigin` does not name its request, and several requests run concurrently.
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

  return async ({ method, url, headers, socket }) => {
    const event: JsonObject = {
      version: '1.0',
      viewer: { ip: socket.remoteAddress ?? '' },
      request: {
        method: method ?? 'GET',
        uri: url ?? '/',
        querystring: {},
        headers: visibleHeaders(headers),
        cookies: {},
      },
    };
    const origin = { target: '' };
    const result: Json = await origins.run(origin, () => handler(event));
    if (!isObject(result) || result.statusCode === undefined) return { forwardTo: origin.target };
    const answered: Record<string, string> = {};
    for (const [name, header] of Object.entries(isObject(result.headers) ? result.headers : {})) {
      answered[name] = value(header);
    }
    return { status: Number(result.statusCode), headers: answered, body: String(result.body ?? '') };
  };
}
