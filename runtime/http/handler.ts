import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { errorBody } from '../../contract/errors.ts';
import { withRequestId } from '../../table/correlation.ts';
import { log } from '../observability/log.ts';
import { requestFields } from '../observability/request-fields.ts';
import { assertFromEdge } from './edge.ts';
import { Refusal } from './rate-limit.ts';
import {
  buildResponse,
  type Event,
  newRequestContext,
  type RequestContext,
  type Result,
  recordFailedRequest,
  requestIdOf,
  toPublicError,
  toRetryHeaders,
} from './response.ts';

export type HandlerContext = Context & { request: RequestContext };
export type Layer = middy.MiddlewareObj<Event, Result, Error, HandlerContext>;

/**
 * Creates the Lambda handler of HTTP requests. It assigns the request's id, which all log lines and writes carry (table/correlation.ts),
 * refuses a request that bypassed the edge, turns a thrown error into a response, and logs one line per request.
 *
 * @param operation the name of the operation in logs
 * @param layers run in this order before `respond`; one that returns a response ends the request
 */
export function requestHandler(
  operation: string,
  respond: (event: Event, request: RequestContext) => Promise<Result>,
  layers: Layer[] = [],
) {
  const handler = middy<Event, Result, Error, HandlerContext>()
    .use([requestLogging(operation), ...layers])
    .handler((event: Event, { request }: HandlerContext) => respond(event, request));
  return (event: Event, context: HandlerContext): Promise<Result> =>
    withRequestId(requestIdOf(event), () => handler(event, context), true);
}

const requestLogging = (operation: string): Layer => ({
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
