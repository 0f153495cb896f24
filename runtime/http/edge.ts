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
 * Throws 403 `forbidden` for a request that bypassed the platform's edge, which limits clients by address: the URLs of API Gateway
 * and of functions are public. A function that is not configured with the edge's secret accepts every request.
 */
export async function assertFromEdge({ headers }: Event): Promise<void> {
  if (!isOriginSecret) return;
  const given = headers['x-origin-secret'];
  if (given !== undefined && (await isOriginSecret(given))) return;
  throw new ApiError('forbidden', 'Use the address that the documentation names.');
}

/**
 * Returns the address of the client. API Gateway sees only the edge's address, so the edge sends the client's address in a header.
 */
export function clientAddress(event: Event): string {
  const viewer = isOriginSecret === undefined ? undefined : event.headers['x-viewer-address'];
  return viewer ?? event.requestContext.http.sourceIp;
}

/** Returns the network of the client, by which requests without valid credentials are counted. */
export const clientNetwork = (event: Event): string => networkOf(clientAddress(event));
