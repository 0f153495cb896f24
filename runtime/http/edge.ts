import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { networkOf } from '../../domain/accounts/client-network.ts';
import { config } from '../config.ts';
import type { Event } from './response.ts';

function isSecret(given: string | undefined, secret: string): boolean {
  const [left, right] = [Buffer.from(given ?? ''), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Refuses a request that did not come through the platform's own edge, where clients are limited by address: addresses of
 * API Gateway and of functions are public. Throws 403 `forbidden`. A function without the edge's secret runs without one.
 */
export function assertFromEdge({ headers }: Event): void {
  const { ORIGIN_SECRET: secret } = config;
  if (secret === undefined || isSecret(headers['x-origin-secret'], secret)) return;
  throw new ApiError('forbidden', 'Use the address that the documentation names.');
}

/**
 * Returns the network of the client, by which requests are counted that no key identifies. API Gateway sees the edge's
 * address only, so the edge passes the client's in a header.
 */
export function clientNetwork(event: Event): string {
  const viewer = config.ORIGIN_SECRET === undefined ? undefined : event.headers['x-viewer-address'];
  return networkOf(viewer ?? event.requestContext.http.sourceIp);
}
