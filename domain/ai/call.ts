import type { ChatRequest } from '../../contract/ai/chat.ts';
import { ApiError, errorBody } from '../../contract/errors.ts';
import { toIgnoredHeader } from '../../contract/reference/ignored-fields.ts';
import type { AdapterRequest, Prepared } from '../../providers/ai/adapter.ts';
import { adapterFor } from '../../providers/ai/adapters.ts';
import { isAboutKey, ProviderFailure } from '../../providers/ai/failures.ts';
import { addressOf, type Provider, type ProviderId } from '../../providers/ai/registry.ts';
import { CallerDisconnected, type Incoming, type Transport } from '../../providers/ai/transport.ts';
import type { Usage } from '../../providers/ai/usage.ts';
import { isOn, type ReadFlags } from '../switches/flags.ts';
import { assertOn, type ReadSwitches } from '../switches/switches.ts';
import { CallEnd } from './call-end.ts';
import type { CallOutcome } from './calls.ts';
import { toApiError } from './errors.ts';
import { type FundingDeps, fund } from './funding.ts';
import { JSON_TYPE, KeepAlive, STREAM_TYPE } from './keep-alive.ts';
import { chooseModel, type Offer } from './models.ts';
import { estimator } from './prompt.ts';
import { newReport, type Report } from './report.ts';

export interface Gateway extends FundingDeps {
  offer(): Promise<Offer>;
  /** Reads the switches that are off. */
  switches: ReadSwitches;
  /** Reads the feature flags. */
  flags: ReadFlags;
  transport: Transport;
  /** Time in milliseconds after which a response begins without the model's answer. */
  keepAliveMs: number;
  /** Base URLs that replace those of the provider registry. */
  baseUrls: Partial<Record<ProviderId, string>>;
}

/** Receives the response of a call. */
export interface ResponseSink {
  /** Writes the headers of a successful response; once, before the first byte. */
  begin(headers: Record<string, string>): void;
  /** Returns a promise to wait for if the caller cannot receive more yet. */
  write(bytes: Buffer): Promise<unknown> | undefined;
  end(): void;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

export interface Call {
  accountId: string;
  /** Empty for a call of a login. */
  keyId: string;
  /** Monthly budget of the key for AI credits, in micro-rand. */
  budgetMicroRand?: number | undefined;
  requestId: string;
  /** Time of arrival, by `performance.now()`. */
  startedAt: number;
  request: ChatRequest;
  /** The request body that `request` was parsed from. */
  text: string;
}

/**
 * One call to a model, from its funding to the settled charge. Call `run`, and then `finish` once the last byte is sent, also
 * if `run` fails.
 */
export class ChatCall {
  readonly report: Report;
  readonly #deps: Gateway;
  readonly #call: Call;
  readonly #sink: ResponseSink;
  #sentAt = 0;
  #respondedAt = 0;
  #ignored: readonly string[] = [];
  #staysConnected = true;
  /** The key that was sent to the provider. */
  #key = '';
  #keepAlive: KeepAlive | undefined;
  readonly #end: CallEnd;

  constructor(deps: Gateway, call: Call, sink: ResponseSink) {
    this.#deps = deps;
    this.#call = call;
    this.#sink = sink;
    this.report = newReport(call.request.model);
    this.#end = new CallEnd(deps, call, this.report);
  }

  /** Answers the call. Throws ApiError before the response has begun; the body reports later failures. */
  async run(): Promise<void> {
    const { request, text, accountId, keyId, budgetMicroRand } = this.#call;
    const { offer: readOffer, switches, flags } = this.#deps;
    const [offer, off, states] = await Promise.all([readOffer(), switches(), flags()]);
    this.#staysConnected = isOn(states, 'ai-keep-alive', accountId);
    assertOn(off, 'read-only');
    const { provider, upstream, model } = chooseModel(offer, request.model);
    assertOn(off, 'ai-provider', provider.id);
    assertOn(off, 'ai-model', request.model);
    this.report.provider = provider.id;
    const adapterRequest: AdapterRequest = {
      provider,
      text,
      request,
      upstream,
      outputLimit: undefined,
      modelLimit: model?.outputLimit,
      estimate: estimator(request, text),
    };
    const caller = { accountId, keyId, budgetMicroRand };
    const { randPerDollar } = offer;
    const funding = await fund(this.#deps, caller, adapterRequest, { model, randPerDollar, off });
    this.#end.funding = funding;
    this.report.saved = funding.kind === 'saved';
    try {
      const prepared = funding.kind === 'saved' ? adapterFor(provider).prepare(adapterRequest) : funding.prepared;
      const sent = { ...adapterRequest, estimate: estimator(request, prepared.body, model?.contextLimit) };
      await this.#exchange(sent, prepared, funding.key);
    } catch (error) {
      // Before the refusal, because the caller may retry immediately.
      await this.#end.release();
      throw error;
    }
  }

  /** Ends the call (call-end.ts). */
  finish = (outcome: CallOutcome): Promise<void> => this.#end.finish(outcome);

  async #exchange(adapterRequest: AdapterRequest, prepared: Prepared, key: string): Promise<void> {
    const contentType = adapterRequest.request.stream ? STREAM_TYPE : JSON_TYPE;
    try {
      const incoming = await this.#sendRetryingKey(adapterRequest, prepared, key);
      const silentMs = performance.now() - this.#call.startedAt;
      if (this.#staysConnected) {
        const ignored = toIgnoredHeader(this.#ignored);
        this.#keepAlive = new KeepAlive(this.#sink, contentType, ignored, this.#deps.keepAliveMs, silentMs);
      }
      if (adapterRequest.request.stream) await this.#relayStream(adapterRequest, incoming);
      else await this.#relayWhole(adapterRequest, incoming);
    } catch (error) {
      if (error instanceof CallerDisconnected || this.#sink.signal.aborted)
        return this.#noteCallerLeft(error, adapterRequest);
      if (error instanceof ProviderFailure) this.#reportFailure(error, adapterRequest);
      else {
        // Without it, the caller would take the beginning of an answer for the whole one.
        if (this.#isBegun) this.#writeError(new ApiError('server_error'), adapterRequest);
        throw error;
      }
    } finally {
      this.#keepAlive?.stop();
    }
    this.#sink.end();
  }

  #noteCallerLeft(error: unknown, adapterRequest: AdapterRequest): void {
    this.report.callerLeft = true;
    // The provider bills the prompt of a call that is aborted before its first byte.
    const isUncounted = error instanceof CallerDisconnected && error.isSent && !this.report.usage;
    if (isUncounted) this.#recordUsage(adapterRequest.estimate(0), true);
  }

  /** True if the caller has the status and the headers of a response. */
  get #isBegun(): boolean {
    return this.report.firstByte !== undefined || this.#keepAlive?.isBegun === true;
  }

  /** Ends the body of a response that has begun with an error. A stream has no `[DONE]` then. */
  #writeError(error: ApiError, { request }: AdapterRequest): void {
    this.report.bodyError = error.code;
    const body = JSON.stringify(errorBody(error));
    void this.#sink.write(Buffer.from(request.stream ? `data: ${body}\n\n` : body));
  }

  /** Reports a provider's failure to the caller: throws it as the call's error, or writes it to the body of a response that has begun. */
  #reportFailure(failure: ProviderFailure, adapterRequest: AdapterRequest): void {
    const { provider, estimate } = adapterRequest;
    failure.maskKey(this.#key);
    this.report.failure = failure;
    const isBilled = failure.kind === 'content-refused' && provider.billsRefusedContent;
    if (isBilled && !this.report.usage) this.#recordUsage(estimate(0), true);
    const { requestId } = this.#call;
    const apiError = toApiError(failure, { providerName: provider.name, saved: this.report.saved, requestId });
    if (!this.#isBegun) throw apiError;
    this.#writeError(apiError, adapterRequest);
  }

  /** Sends the request. If the provider refuses the platform's key and operators have replaced it, retries with the new key. */
  async #sendRetryingKey({ provider }: AdapterRequest, prepared: Prepared, key: string): Promise<Incoming> {
    try {
      return await this.#send(provider, prepared, key);
    } catch (error) {
      if (this.report.saved || !(error instanceof ProviderFailure) || !isAboutKey(error.kind)) throw error;
      // If it cannot be read whether there is another key, the refusal stays the failure: operators must get its alarm.
      const reading = this.#deps.platformKey(provider.id).replacementOf(key);
      const replacement = await reading.catch((unread: unknown) => {
        this.report.keyError = String(unread);
        return undefined;
      });
      if (replacement === undefined) throw error;
      return await this.#send(provider, prepared, replacement);
    }
  }

  async #send(provider: Provider, prepared: Prepared, key: string): Promise<Incoming> {
    this.#ignored = prepared.ignored;
    this.#key = key;
    const url = addressOf(this.#deps.baseUrls[provider.id] ?? provider.baseUrl, prepared.path);
    this.#sentAt = performance.now();
    const headers = { ...provider.headers, ...adapterFor(provider).headers(key) };
    const { checksContent } = provider;
    const { signal } = this.#sink;
    const isKeptAlive = this.#staysConnected;
    const outgoing = { url, headers, body: prepared.body, signal, checksContent, isKeptAlive };
    const incoming = await this.#deps.transport(outgoing);
    this.#respondedAt = performance.now();
    return incoming;
  }

  async #relayWhole(adapterRequest: AdapterRequest, incoming: Incoming): Promise<void> {
    const bytes = await incoming.whole();
    this.#respondedAt = performance.now();
    const { body, usage, estimated } = adapterFor(adapterRequest.provider).answer(bytes, adapterRequest);
    this.#recordUsage(usage, estimated);
    this.#beginResponse(JSON_TYPE);
    void this.#sink.write(body);
  }

  async #relayStream(adapterRequest: AdapterRequest, incoming: Incoming): Promise<void> {
    const adapter = adapterFor(adapterRequest.provider);
    // An HTML page or a single JSON document is not a stream.
    if (/^(text\/html|application\/json)/i.test(incoming.contentType)) {
      adapter.answer(await incoming.whole(), adapterRequest);
      throw new ProviderFailure('broken', {});
    }
    const translator = adapter.stream(adapterRequest);
    const send = (bytes: Buffer) => {
      if (bytes.length === 0) return undefined;
      if (this.report.firstByte === undefined) {
        this.#respondedAt = performance.now();
        this.#beginResponse(STREAM_TYPE);
      }
      return this.#sink.write(bytes);
    };
    try {
      const reading = incoming.each((piece) => {
        const sent = send(translator.push(piece));
        return translator.done || translator.failure ? 'enough' : sent;
      });
      await reading.catch((error: unknown) => {
        // Only the connection failed, not the answer.
        if (!(error instanceof ProviderFailure) || !translator.isFinished) throw error;
      });
      if (translator.failure) throw translator.failure;
      if (!translator.done) void send(translator.end());
    } finally {
      // An interrupted stream is charged for what arrived.
      if (this.report.firstByte !== undefined) this.#recordUsage(translator.usage, translator.estimated);
    }
  }

  #beginResponse(contentType: string): void {
    this.#keepAlive?.stop();
    const now = performance.now();
    const latency = this.#respondedAt - this.#sentAt;
    this.report.firstByte = now - this.#call.startedAt;
    this.report.overhead = this.report.firstByte - latency;
    // A response that was kept alive has already sent its headers.
    if (this.#keepAlive?.isBegun) return;
    this.#sink.begin({
      'content-type': contentType,
      'x-upstream-latency-ms': latency.toFixed(1),
      'x-gateway-overhead-ms': this.report.overhead.toFixed(1),
      ...toIgnoredHeader(this.#ignored),
    });
  }

  #recordUsage(usage: Usage, estimated: boolean): void {
    this.report.usage = usage;
    this.report.estimated = estimated;
  }
}
