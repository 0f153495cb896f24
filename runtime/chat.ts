import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { CHAT_BODY_LIMIT, ChatRequest, createChatCompletion as route } from '../contract/ai/chat.ts';
import { ApiError, errorBody } from '../contract/errors.ts';
import { pathsOf } from '../contract/route.ts';
import { type Call, ChatCall, type Gateway, type Outlet, type Report } from '../domain/ai/call.ts';
import { keyRing } from '../domain/ai/provider-keys.ts';
import { createTransport } from '../providers/ai/transport.ts';
import { type Event, type Exchange, publicError, usualHeaders } from './answer.ts';
import { type Hearing, throughTheEdge } from './authentication.ts';
import { baseUrls, offer, ownKey } from './bindings/ai.ts';
import { secrets } from './bindings/secrets.ts';
import { deps } from './deps.ts';
import { parseAs, readBody } from './http/input.ts';
import { countLost, identify } from './identity.ts';
import { callReport } from './observability/chat-report.ts';
import { log } from './observability/log.ts';

const gateway: Gateway = {
  ...deps,
  offer,
  ownKey,
  baseUrls,
  keyRing: keyRing(secrets, deps.now),
  transport: createTransport(),
};

/** A streamed HTTP answer: its head, then bytes. Lambda's own makes this from its stream (functions/ai). */
export type BeginAnswer = (head: { statusCode: number; headers: Record<string, string> }) => Writable;

/** What an answer goes through: the caller's pace is kept, and their leaving is noticed. */
class Stream implements Outlet {
  readonly signal: AbortSignal;
  begun: number | undefined;
  readonly #open: BeginAnswer;
  readonly #exchange: Exchange;
  #stream: Writable | undefined;

  constructor(open: BeginAnswer, exchange: Exchange, signal: AbortSignal) {
    this.#open = open;
    this.#exchange = exchange;
    this.signal = signal;
  }

  begin(headers: Record<string, string>, statusCode = 200): void {
    this.begun = statusCode;
    this.#stream = this.#open({ statusCode, headers: { ...usualHeaders(this.#exchange), ...headers } });
  }

  write(bytes: Buffer): Promise<unknown> | undefined {
    const stream = this.#stream;
    if (!stream || stream.destroyed || stream.write(bytes)) return undefined;
    return new Promise((resolve) => {
      const go = () => {
        stream.off('drain', go);
        stream.off('close', go);
        resolve(undefined);
      };
      stream.on('drain', go);
      stream.on('close', go);
    });
  }

  end(): void {
    this.#stream?.end();
  }

  /** A refusal in the standard shape. */
  refuse(error: ApiError): void {
    const retry = error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) };
    this.begin({ 'content-type': 'application/json; charset=utf-8', ...retry }, error.status);
    this.write(Buffer.from(JSON.stringify(errorBody(error))));
    this.end();
  }
}

/** For keys, and for logins. */
const PATHS: readonly string[] = pathsOf(route);

/** Who calls, within their limit. Anything but a POST of these paths is answered as everywhere: there is nothing. */
async function callerOf(event: Event, exchange: Exchange): Promise<string> {
  // A function URL is open to the world; its address is nobody's but the edge's.
  if (!throughTheEdge(event)) throw new ApiError('forbidden', 'Use the address that the documentation names.');
  const { method } = event.requestContext.http;
  const note: Hearing['note'] = (quota) => {
    exchange.quota = quota;
  };
  if (method === route.method && PATHS.includes(event.rawPath)) {
    exchange.caller = await identify(event, route.access, { note });
    return exchange.caller.accountId;
  }
  await countLost(event, note);
  throw new ApiError('not_found', `There is no ${method} ${event.rawPath}.`);
}

/**
 * Chat completions over a stream: authenticate and count, validate, call. Not middy: its streaming mode pipes the answer
 * through streams of its own, and there is one function of this kind (docs/decisions/ai-gateway.md).
 *
 * @param open begins the answer; called once
 * @param signal aborted when the caller has left
 */
export async function chat(event: Event, open: BeginAnswer, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const exchange: Exchange = { requestId: event.requestContext.requestId ?? randomUUID(), startedAt };
  const outlet = new Stream(open, exchange, signal);
  // The first request of an instance needs the offer: it is read beside the key.
  gateway.offer().catch(() => undefined);
  let report: Report | undefined;
  let told: ApiError | undefined;
  try {
    const accountId = await callerOf(event, exchange);
    const { text, json } = readBody(event, CHAT_BODY_LIMIT);
    const request = parseAs(ChatRequest, json, 'body');
    const call: Call = { accountId, requestId: exchange.requestId, startedAt, request, text };
    const running = new ChatCall(gateway, call, outlet);
    report = running.report;
    await running.run();
  } catch (error) {
    told = publicError(error);
    if (told.status === 500 || told.status === 503)
      log.error('request failed', error, { requestId: exchange.requestId });
    if (outlet.begun === undefined) outlet.refuse(told);
    else outlet.end();
  }
  callReport(exchange, outlet.begun ?? 499, told, report);
}
