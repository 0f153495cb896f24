import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { networkOf } from '../../domain/accounts/client-network.ts';
import { secretMatcher } from '../aws/secret-values.ts';
import { config } from '../config.ts';
import type { Event } from './response.ts';

function isSecret(given: string, secret: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const { ORIGIN_SECRET_NAME: secretName } = config;
const isOriginSecret = secretName ? secretMatcher(secretName, isSecret) : undefined;

/**
 * Refuses a request that did not come through the platform's own edge, where clients are limited by address: addresses of
 * API Gateway and of functions are public. Throws 403 `forbidden`. A function without the edge's secret runs without one.
 */
export async function assertFromEdge({ headers }: Event): Promise<void> {
  if (!isOriginSecret) return;
  const given = headers['x-origin-secret'];
  if (given !== undefined && (await isOriginSecret(given))) return;
  throw new ApiError('forbidden', 'Use the address that the documentation names.');
}

/**
 * Returns the address of the client. API Gateway sees the edge's address only, so the edge passes the client's in a header.
 */
export function clientAddress(event: Event): string {
  const viewer = isOriginSecret === undefined ? undefined : event.headers['x-viewer-address'];
  return viewer ?? event.requestContext.http.sourceIp;
}

/** Returns the network of the client, by which requests are counted that no key identifies. */
export const clientNetwork = (event: Event): string => networkOf(clientAddress(event));
