import { randomUUID } from 'node:crypto';
import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { ApiError, errorBody } from '../contract/errors.ts';
import type { Caller } from '../domain/deps.ts';
import type { Quota } from '../domain/accounts/rate-limit.ts';
import type { Idempotency } from './idempotency.ts';
import { log, metrics } from './observability/log.ts';

/** What one request leaves behind on its way through the layers; it rides on Lambda's context. */
export interface Exchange {
  requestId: string;
  startedAt: number;
  quota?: Quota;
  caller?: Caller;
  input?: unknown;
  repeat?: Idempotency | undefined;
  /** What was read while the caller was still being asked for; theirs only if they are who they were last time. */
  ahead?: { caller: Caller; output: Promise<unknown> };
}

export type Event = APIGatewayProxyEventV2;
export type Result = APIGatewayProxyStructuredResultV2;
export type ExchangeContext = Context & { exchange: Exchange };
export type Layer = middy.MiddlewareObj<Event, Result, Error, ExchangeContext>;

/** The headers that every answer carries. */
export const usualHeaders = ({ requestId, quota }: Exchange): Record<string, string> => ({
  'cache-control': 'no-store',
  'x-request-id': requestId,
  ...quotaHeaders(quota),
});

const quotaHeaders = (quota: Quota | undefined): Record<string, string> =>
  quota
    ? {
        'x-ratelimit-limit': String(quota.limit),
        'x-ratelimit-remaining': String(quota.remaining),
        'x-ratelimit-reset': String(quota.reset),
      }
    : {};

/** Builds the answer. */
export function answer(
  exchange: Exchange,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Result {
  return {
    statusCode: status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...usualHeaders(exchange),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** What the caller is told of an error: what it says if it is meant for them, and nothing of the inside otherwise. */
export function publicError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const name = error instanceof Error ? error.name : '';
  if (/Throttl|TransactionCanceled|TransactionInProgress|TimeoutError|ThroughputExceeded/.test(name)) {
    return new ApiError('server_error', 'The service is busy. It is safe to retry with backoff.', { status: 503 });
  }
  return new ApiError('server_error');
}

/** The outermost layer: gives the request its id, turns what is thrown into an answer, and writes one line about it. */
export function observed(operation: string): Layer {
  const finish = (event: Event, exchange: Exchange, status: number, code?: string) => {
    const latency = Math.round((performance.now() - exchange.startedAt) * 10) / 10;
    const count = (yes: boolean): [number, 'Count'] => [yes ? 1 : 0, 'Count'];
    log.info('request', {
      requestId: exchange.requestId,
      accountId: exchange.caller?.accountId,
      method: event.requestContext.http.method,
      path: event.rawPath,
      status,
      code,
      ...metrics(
        { operation },
        {
          Latency: [latency, 'Milliseconds'],
          ClientErrors: count(status >= 400 && status < 500),
          ServerErrors: count(status >= 500),
        },
      ),
    });
  };
  return {
    before: ({ event, context }) => {
      context.exchange = { requestId: event.requestContext.requestId ?? randomUUID(), startedAt: performance.now() };
    },
    after: ({ event, context, response }) => {
      finish(event, context.exchange, response?.statusCode ?? 200);
    },
    onError: ({ event, context, error }) => {
      const { exchange } = context;
      const told = publicError(error);
      if (told.status >= 500)
        log.error('request failed', error, { requestId: exchange.requestId, path: event.rawPath });
      finish(event, exchange, told.status, told.code);
      const retry = told.retryAfter === undefined ? {} : { 'retry-after': String(told.retryAfter) };
      return answer(exchange, told.status, errorBody(told), retry);
    },
  };
}
