import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Header with the host that the visitor requested (lib/edge-functions/route-app.js). */
const VISITED_HOST = 'x-forwarded-host';
const VISITED_PROTOCOL = 'x-forwarded-proto';

type WriteHead = (this: ServerResponse, status: number, ...rest: unknown[]) => ServerResponse;

/**
 * Sets the application's `Host` header to the host that the visitor requested, as on an ordinary server. The edge has to send the host of
 * the function URL instead. Frameworks build URLs from `Host`, and compare it with `Origin` before they accept a form (SvelteKit, Astro).
 * Node announces requests before any handler sees them (https://nodejs.org/api/diagnostics_channel.html#http).
 *
 * Next.js builds URLs from the address on which it listens instead, so this also replaces that address in redirects.
 *
 * @param port the application's port; requests to its other servers stay unchanged
 * @returns a function that ends the replacement
 */
export function restoreVisitedHost(port: number): () => void {
  // A wildcard address such as 0.0.0.0 is never a redirect target. With http, `localhost` may be a program on the visitor's machine
  // (RFC 8252, 7.3). With https, it is what Next.js uses without a host name, with port 3000 if it does not know its port.
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
    // Some frameworks read the raw headers.
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = host;
    if (protocol !== 'http' && protocol !== 'https') return;
    restoreRedirects(response, (location) => location.replace(ownAddress, () => `${protocol}://${host}`));
  };
  subscribe('http.server.request.start', onRequest);
  return () => unsubscribe('http.server.request.start', onRequest);
}

/** Replaces the `Location` header of a response when its head is written, in each of the forms that Node accepts. */
function restoreRedirects(response: ServerResponse, restore: (location: string) => string): void {
  const restoreValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(restoreValue);
    return typeof value === 'string' ? restore(value) : value;
  };
  const restoreHeader = (name: unknown, value: unknown): unknown =>
    String(name).toLowerCase() === 'location' ? restoreValue(value) : value;
  const restoreHeaders = (headers: unknown): unknown => {
    if (typeof headers !== 'object' || headers === null) return headers;
    if (!Array.isArray(headers))
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, restoreHeader(name, value)]));
    if (Array.isArray(headers[0])) return headers.map(([name, value]) => [name, restoreHeader(name, value)]);
    return headers.map((item, index) => (index % 2 === 0 ? item : restoreHeader(headers[index - 1], item)));
  };
  const target = response as unknown as { writeHead: WriteHead };
  const original = target.writeHead;
  target.writeHead = function (status, ...rest) {
    const location = this.getHeader('location');
    if (location !== undefined) this.setHeader('location', restoreValue(location) as string | string[]);
    return original.call(this, status, ...rest.map(restoreHeaders));
  };
}
