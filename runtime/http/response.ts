import { randomUUID } from 'node:crypto';
import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { ApiError, errorBody } from '../../contract/errors.ts';
import { toIgnoredHeader } from '../../contract/reference/ignored-fields.ts';
import type { Quota } from '../../domain/accounts/rate-limit.ts';
import { serviceBusy } from '../../domain/conflict.ts';
import type { Caller } from '../../domain/deps.ts';
import type { Off } from '../../domain/switches/switches.ts';
import { currentRequestId, withRequestId } from '../../table/correlation.ts';
import { FailedRequest } from '../../table/entities/lookups.ts';
import { isTemporary } from '../../table/refusals.ts';
import { createViaUpdate } from '../../table/writes.ts';
import { deps } from '../deps.ts';
import { log } from '../observability/log.ts';
import { requestFields } from '../observability/request-fields.ts';
import { assertFromEdge, clientAddress } from './edge.ts';
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

const requestIdOf = (event: Event): string => event.requestContext.requestId ?? randomUUID();

/** Runs a handler so that all its log lines and writes carry the request's id (table/correlation.ts). */
export const correlated =
  <C, R>(handler: (event: Event, context: C) => R) =>
  (event: Event, context: C): R =>
    withRequestId(requestIdOf(event), () => handler(event, context), true);

/** Creates the context of a request that has just arrived. */
export const newRequestContext = (event: Event): RequestContext => ({
  requestId: currentRequestId() ?? requestIdOf(event),
  address: clientAddress(event),
  startedAt: performance.now(),
});

export type Event = APIGatewayProxyEventV2;
export type Result = APIGatewayProxyStructuredResultV2;
export type HandlerContext = Context & { request: RequestContext };
export type Layer = middy.MiddlewareObj<Event, Result, Error, HandlerContext>;

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

function logRequest(operation: string, event: Event, request: RequestContext, status: number, code?: string): void {
  const latency = Math.round((performance.now() - request.startedAt) * 10) / 10;
  // No metrics here: API Gateway measures requests, errors and latencies, and its access log has them for each operation.
  log.info('request', {
    operation,
    latency,
    ...requestFields(request),
    method: event.requestContext.http.method,
    path: event.rawPath,
    status,
    code,
  });
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

/**
 * Creates the outermost layer. It assigns the request's id, refuses a request that bypassed the edge, turns a thrown error into a
 * response, and logs one line per request.
 */
export const requestLogging = (operation: string): Layer => ({
  before: async ({ event, context }) => {
    context.request = newRequestContext(event);
    await assertFromEdge(event);
  },
  after: ({ event, context, response }) => {
    logRequest(operation, event, context.request, response?.statusCode ?? 200);
  },
  onError: async ({ event, context: { request }, error }) => {
    if (error instanceof Refusal) request.quota = error.quota;
    const shown = toPublicError(error);
    const { status, code } = shown;
    if (status >= 500) log.error('request failed', error, { requestId: request.requestId, path: event.rawPath });
    logRequest(operation, event, request, status, code);
    await recordFailedRequest(operation, request, shown);
    return buildResponse(request, status, errorBody(shown), toRetryHeaders(shown));
  },
});
