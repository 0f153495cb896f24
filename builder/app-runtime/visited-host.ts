import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Header with the host that the visitor asked for (lib/edge-functions/route-app.js). */
const VISITED_HOST = 'x-forwarded-host';
const VISITED_PROTOCOL = 'x-forwarded-proto';

type WriteHead = (this: ServerResponse, status: number, ...rest: unknown[]) => ServerResponse;

/**
 * Gives the application the host that its visitor asked for as `Host`, as a server of its own would: the edge must send the
 * function URL's. Frameworks build addresses of it, and compare it with `Origin` before they take a form (SvelteKit, Astro).
 * Node announces requests before any handler sees them (https://nodejs.org/api/diagnostics_channel.html#http).
 *
 * Next.js builds the address of a request from what it listens on instead, so redirects to that address get the visited host too.
 *
 * @param port of the application; its other servers are its own
 * @returns a function that ends it
 */
export function restoreVisitedHost(port: number): () => void {
  // No visitor is meant by an address on which a server listens for all. By http, `localhost` may be a program on the visitor's
  // machine (RFC 8252, 7.3); by https, it is what Next.js calls itself without a host name, with port 3000 where it knows none.
  const ownAddress = new RegExp(
    `^(?:https?://(?:0\\.0\\.0\\.0|\\[::\\]):${port}|https://localhost:(?:${port}|3000))(?=[/?#]|$)`,
    'i',
  );
  const onRequest = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const { rawHeaders, headers, socket } = request;
    const { [VISITED_HOST]: host, [VISITED_PROTOCOL]: protocol } = headers;
    if (socket.localPort !== port || typeof host !== 'string' || host === '') return;
    headers.host = host;
    // Some frameworks read the headers as they came.
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = host;
    if (protocol !== 'http' && protocol !== 'https') return;
    restoreRedirects(response, (location) => location.replace(ownAddress, () => `${protocol}://${host}`));
  };
  subscribe('http.server.request.start', onRequest);
  return () => unsubscribe('http.server.request.start', onRequest);
}

/** Replaces the header `Location` of a response as its head is written, in each of the forms that Node takes. */
function restoreRedirects(response: ServerResponse, restored: (location: string) => string): void {
  const restoredValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(restoredValue);
    return typeof value === 'string' ? restored(value) : value;
  };
  const ofName = (name: unknown, value: unknown): unknown =>
    String(name).toLowerCase() === 'location' ? restoredValue(value) : value;
  const ofHeaders = (headers: unknown): unknown => {
    if (typeof headers !== 'object' || headers === null) return headers;
    if (!Array.isArray(headers))
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, ofName(name, value)]));
    if (Array.isArray(headers[0])) return headers.map(([name, value]) => [name, ofName(name, value)]);
    return headers.map((each, index) => (index % 2 === 0 ? each : ofName(headers[index - 1], each)));
  };
  const target = response as unknown as { writeHead: WriteHead };
  const original = target.writeHead;
  target.writeHead = function (status, ...rest) {
    const set = this.getHeader('location');
    if (set !== undefined) this.setHeader('location', restoredValue(set) as string | string[]);
    return original.call(this, status, ...rest.map(ofHeaders));
  };
}
