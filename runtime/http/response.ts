import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiError } from '../../contract/errors.ts';
import { toIgnoredHeader } from '../../contract/reference/ignored-fields.ts';
import type { Quota } from '../../domain/accounts/rate-limit.ts';
import { serviceBusy } from '../../domain/conflict.ts';
import type { Caller } from '../../domain/deps.ts';
import type { Off } from '../../domain/switches/switches.ts';
import { currentRequestId } from '../../table/correlation.ts';
import { FailedRequest } from '../../table/entities/lookups.ts';
import { isTemporary } from '../../table/refusals.ts';
import { createViaUpdate } from '../../table/writes.ts';
import { deps } from '../deps.ts';
import { log } from '../observability/log.ts';
import { clientAddress } from './edge.ts';
import type { IdempotentRequest } from './idempotency.ts';
import { Refusal } from './rate-limit.ts';

/** The state of a request that its layers share, as a property of Lambda's context. */
export interface RequestContext {
  requestId: string;
  /** Address of the client. */
  address: string;
  /** The start of the request by `performance.now()`. */
  startedAt: number;
  quota?: Quota;
  caller?: Caller;
  /** The time of the account's requested deletion, if the operation is refused until then. */
  closesAt?: string | undefined;
  input?: unknown;
  /** The names of the body's fields that have no effect. */
  ignored?: readonly string[];
  idempotency?: IdempotentRequest | undefined;
  /** The switches that are off, read in parallel with the authentication; undefined if no switch can stop the operation. */
  off?: Promise<Off> | undefined;
  /** The output of a speculative read in progress. */
  output?: Promise<unknown> | undefined;
}

/** Returns the id that API Gateway gave to a request. */
export const requestIdOf = (event: Event): string => event.requestContext.requestId ?? randomUUID();

/** Creates the context of a request that has just arrived. */
export const newRequestContext = (event: Event): RequestContext => ({
  requestId: currentRequestId() ?? requestIdOf(event),
  address: clientAddress(event),
  startedAt: performance.now(),
});

export type Event = APIGatewayProxyEventV2;
export type Result = APIGatewayProxyStructuredResultV2;

/** Returns the headers of every response. */
export const standardHeaders = ({ requestId, quota, ignored = [] }: RequestContext): Record<string, string> => ({
  'cache-control': 'no-store',
  'x-request-id': requestId,
  ...toQuotaHeaders(quota),
  ...toIgnoredHeader(ignored),
});

const toQuotaHeaders = (quota: Quota | undefined): Record<string, string> =>
  quota
    ? {
        'x-ratelimit-limit': String(quota.limit),
        'x-ratelimit-remaining': String(quota.remaining),
        'x-ratelimit-reset': String(quota.reset),
      }
    : {};

/** Creates a JSON response. A body of text or bytes is sent unchanged. */
export function buildResponse(
  request: RequestContext,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Result {
  return {
    statusCode: status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...standardHeaders(request),
      ...headers,
    },
    ...(Buffer.isBuffer(body)
      ? { body: body.toString('base64'), isBase64Encoded: true }
      : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

/** Returns the `Retry-After` header of an error; no header if it has no such time. */
export const toRetryHeaders = ({ retryAfter }: ApiError): Record<string, string> =>
  retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };

/** Converts an error to a public error. An {@link ApiError} stays unchanged; any other loses its internal details. */
export function toPublicError(error: unknown): ApiError {
  if (error instanceof Refusal) return error.error;
  if (error instanceof ApiError) return error;
  return isTemporary(error) ? serviceBusy() : new ApiError('server_error');
}

/** Statuses that are too common to be worth storing: missing login, missing resource, too many requests. */
const NOT_RECORDED = [401, 404, 429];

/**
 * Stores a refused or failed request of a known account, which operators find by the request's id and on the account's page. It needs
 * only the permission to count requests, which every function has. If the request cannot be stored, it is only logged.
 */
export async function recordFailedRequest(
  operation: string,
  request: RequestContext,
  { status, code, message }: ApiError,
) {
  const { caller, requestId, address } = request;
  if (!caller?.accountId || NOT_RECORDED.includes(status)) return;
  const at = deps.now().toISOString();
  const by = caller.keyId || caller.session?.subject;
  const failed = {
    requestId,
    accountId: caller.accountId,
    operation,
    status,
    code,
    message,
    at,
    address,
    ...(by ? { by } : {}),
  };
  const known = () => new Error('the failure is stored already');
  await deps.table
    .write(FailedRequest, createViaUpdate(FailedRequest, failed, known))
    .catch((error) => log.error('failed request could not be stored', error, { requestId }));
}
