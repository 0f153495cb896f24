import { config } from '../config.ts';
import type { Event } from './response.ts';

/** Returns true when the request came through the platform's own edge, or when the platform runs without one. */
export const isFromEdge = ({ headers }: Event): boolean =>
  config.ORIGIN_SECRET === undefined || headers['x-origin-secret'] === config.ORIGIN_SECRET;

/**
 * Returns the IP address of the client. API Gateway sees the edge's address only, so the edge passes the client's in a
 * header, which is trusted only with the edge's secret.
 */
export function clientAddress(event: Event): string {
  const viewer =
    config.ORIGIN_SECRET === undefined || !isFromEdge(event) ? undefined : event.headers['x-viewer-address'];
  return viewer ?? event.requestContext.http.sourceIp;
}
