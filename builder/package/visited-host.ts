import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** Header with the host that the visitor asked for (lib/edge-functions/route-app.js). */
const VISITED_HOST = 'x-forwarded-host';

/**
 * Gives the application the host that its visitor asked for as `Host`, as a server of its own would: the edge must send the
 * function URL's. Frameworks build addresses of it, and compare it with `Origin` before they take a form (SvelteKit, Astro).
 * Node announces requests before any handler sees them (https://nodejs.org/api/diagnostics_channel.html#http).
 *
 * @param port of the application; its other servers are its own
 * @returns a function that ends it
 */
export function restoreVisitedHost(port: number): () => void {
  const onRequest = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    const { rawHeaders, headers, socket } = request;
    const host = headers[VISITED_HOST];
    if (socket.localPort !== port || typeof host !== 'string' || host === '') return;
    headers.host = host;
    // Some frameworks read the headers as they came.
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = host;
  };
  subscribe('http.server.request.start', onRequest);
  return () => unsubscribe('http.server.request.start', onRequest);
}
