import type { Writable } from 'node:stream';
import { ChatRequest, MAX_CHAT_BODY_BYTES, createChatCompletion as route } from '../../contract/ai/chat.ts';
import { type ApiError, errorBody } from '../../contract/errors.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { listPaths } from '../../contract/route.ts';
import { type Call, ChatCall, type Gateway, type ResponseSink } from '../../domain/ai/call.ts';
import { createKeyRing } from '../../domain/ai/provider-keys.ts';
import type { Caller } from '../../domain/deps.ts';
import { startEarly } from '../../domain/early.ts';
import { createTransport } from '../../providers/ai/transport.ts';
import { withRequestId } from '../../table/correlation.ts';
import { baseUrls, offer } from '../bindings/ai.ts';
import { platformKey } from '../bindings/ai-keys.ts';
import { secrets } from '../bindings/secrets.ts';
import { flags, switches } from '../bindings/switches.ts';
import { deps } from '../deps.ts';
import { callReport } from '../observability/chat-report.ts';
import { log } from '../observability/log.ts';
import { credentialsFrom } from './credentials.ts';
import { assertFromEdge } from './edge.ts';
import { identify } from './identify.ts';
import { parseAs, readBody } from './input.ts';
import { refuseUnmatched } from './not-found.ts';
import { Refusal } from './rate-limit.ts';
import {
  type Event,
  newRequestContext,
  type RequestContext,
  recordFailedRequest,
  standardHeaders,
  toPublicError,
  toRetryHeaders,
} from './response.ts';

const gateway: Gateway = {
  ...deps,
  offer,
  switches,
  flags,
  platformKey,
  baseUrls,
  keyRing: createKeyRing(secrets, deps.now),
  transport: createTransport(),
  keepAliveMs: TIMEOUTS_S.ai.keepAlive * 1000,
};

/** Starts a streamed HTTP response and returns the stream of its body. On Lambda, `streaming` provides it (lambda-stream.ts). */
export type StartResponse = (head: { statusCode: number; headers: Record<string, string> }) => Writable;

/** The response to one call. It respects the caller's backpressure, and stops when the caller disconnects. */
class ResponseStream implements ResponseSink {
  readonly signal: AbortSignal;
  startedStatus: number | undefined;
  readonly #start: StartResponse;
  readonly #request: RequestContext;
  #stream: Writable | undefined;

  constructor(start: StartResponse, request: RequestContext, signal: AbortSignal) {
    this.#start = start;
    this.#request = request;
    this.signal = signal;
  }

  begin(headers: Record<string, string>, statusCode = 200): void {
    this.startedStatus = statusCode;
    this.#stream = this.#start({ statusCode, headers: { ...standardHeaders(this.#request), ...headers } });
  }

  write(bytes: Buffer): Promise<unknown> | undefined {
    const stream = this.#stream;
    if (!stream || stream.destroyed || stream.write(bytes)) return undefined;
    return new Promise((resolve) => {
      const proceed = () => {
        stream.off('drain', proceed);
        stream.off('close', proceed);
        resolve(undefined);
      };
      stream.on('drain', proceed);
      stream.on('close', proceed);
    });
  }

  end(): void {
    this.#stream?.end();
  }

  /** Sends an error in the standard shape. */
  refuse(error: ApiError): void {
    this.begin({ 'content-type': 'application/json; charset=utf-8', ...toRetryHeaders(error) }, error.status);
    void this.write(Buffer.from(JSON.stringify(errorBody(error))));
    this.end();
  }
}

/** The paths of the operation, for keys and for logins. */
const PATHS: readonly string[] = listPaths(route);

/** Identifies the caller. Throws 404 for any request other than a POST to one of the operation's paths. */
async function identifyCaller(event: Event, request: RequestContext): Promise<Caller> {
  await assertFromEdge(event);
  if (event.requestContext.http.method !== route.method || !PATHS.includes(event.rawPath))
    return await refuseUnmatched(event, request);
  const { caller, quota } = await identify(await credentialsFrom(event), route);
  request.caller = caller;
  request.quota = quota;
  return caller;
}

/**
 * Processes a chat completion over a stream: authenticates the caller, counts and validates the request, and calls the provider. It
 * does not use middy, whose streaming mode pipes the response through additional streams (docs/decisions/0012-ai-gateway.md).
 *
 * @param start starts the response; called once
 * @param signal aborted when the caller disconnects
 */
export function chat(event: Event, start: StartResponse, signal: AbortSignal): Promise<void> {
  const request = newRequestContext(event);
  return withRequestId(request.requestId, () => complete(event, request, start, signal), true);
}

async function complete(
  event: Event,
  request: RequestContext,
  start: StartResponse,
  signal: AbortSignal,
): Promise<void> {
  const { requestId, startedAt } = request;
  const sink = new ResponseStream(start, request, signal);
  // The first request of an instance needs the offer and the switches. Both are read in parallel with the authentication.
  void startEarly(gateway.offer());
  void startEarly(gateway.switches());
  let running: ChatCall | undefined;
  let failure: ApiError | undefined;
  try {
    const { accountId, keyId, aiBudgetMicroRand: budgetMicroRand } = await identifyCaller(event, request);
    const { text, json } = readBody(event, MAX_CHAT_BODY_BYTES);
    const input = { request: parseAs(ChatRequest, json, 'body'), text };
    const call: Call = { accountId, keyId, budgetMicroRand, requestId, startedAt, ...input };
    running = new ChatCall(gateway, call, sink);
    await running.run();
  } catch (error) {
    if (error instanceof Refusal) request.quota = error.quota;
    failure = toPublicError(error);
    if (failure.status === 500 || failure.status === 503) log.error('request failed', error, { requestId });
    if (sink.startedStatus === undefined) sink.refuse(failure);
    else sink.end();
  } finally {
    // Runs first, however the response ended: the account's next call may need the credits that this call holds.
    const status = sink.startedStatus ?? 499;
    const outcome = { status, code: failure?.code, durationMs: performance.now() - startedAt };
    // A call that cannot be recorded is only logged.
    await running?.finish(outcome).catch((error) => log.error('call could not be recorded', error, { requestId }));
    callReport(request, status, failure, running?.report);
  }
  if (failure) await recordFailedRequest(route.id, request, failure);
}
