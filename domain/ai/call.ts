import type { ChatRequest } from '../../contract/ai/chat.ts';
import { errorBody } from '../../contract/errors.ts';
import { toIgnoredHeader } from '../../contract/reference/ignored-fields.ts';
import type { Adapter, AdapterRequest, Prepared } from '../../providers/ai/adapter.ts';
import { anthropic } from '../../providers/ai/anthropic.ts';
import { isAboutKey, ProviderFailure } from '../../providers/ai/failures.ts';
import { openAiCompatible } from '../../providers/ai/openai-compatible.ts';
import type { ProviderId } from '../../providers/ai/registry.ts';
import { CallerDisconnected, type Incoming, type Transport } from '../../providers/ai/transport.ts';
import type { Usage } from '../../providers/ai/usage.ts';
import { isOn, type ReadFlags } from '../switches/flags.ts';
import { assertOn, type ReadSwitches } from '../switches/switches.ts';
import { CallEnd } from './call-end.ts';
import type { CallOutcome } from './calls.ts';
import { toApiError } from './errors.ts';
import { type FundingDeps, fund } from './funding.ts';
import { JSON_TYPE, KeepAlive, STREAM_TYPE } from './keep-alive.ts';
import { type Choice, chooseModel, type Offer } from './models.ts';
import { estimator } from './prompt.ts';
import { newReport, type Report } from './report.ts';

export interface Gateway extends FundingDeps {
  offer(): Promise<Offer>;
  /** Reads the switches that are off. */
  switches: ReadSwitches;
  /** Reads the feature flags. */
  flags: ReadFlags;
  transport: Transport;
  /** Time in milliseconds after which a response begins without its answer. */
  keepAliveMs: number;
  /** Base URLs that replace those of the provider registry. */
  baseUrls: Partial<Record<ProviderId, string>>;
}

/** Receives the response of a call. */
export interface ResponseSink {
  /** The head of an answer of success; once, before the first byte. */
  begin(headers: Record<string, string>): void;
  /** A promise while the caller cannot take more. */
  write(bytes: Buffer): Promise<unknown> | undefined;
  end(): void;
  /** Aborted when the caller has left. */
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
  /** The body that `request` was read from. */
  text: string;
}

const ADAPTERS: Record<'openai' | 'anthropic', Adapter> = { openai: openAiCompatible, anthropic };

/**
 * One call to a model, from the choice of who pays to the settled charge: `run`, and however that ends, `finish` once the
 * last byte is sent.
 */
export class ChatCall {
  readonly report: Report;
  readonly #deps: Gateway;
  readonly #call: Call;
  readonly #sink: ResponseSink;
  #askedAt = 0;
  #answeredAt = 0;
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

  /** Answers the call. Throws ApiError while nothing has been sent; what fails later is told in the stream. */
  async run(): Promise<void> {
    const { request, text, accountId, keyId, budgetMicroRand } = this.#call;
    const { offer: readOffer, switches, flags } = this.#deps;
    const [offer, off, states] = await Promise.all([readOffer(), switches(), flags()]);
    this.#staysConnected = isOn(states, 'ai-keep-alive', accountId);
    assertOn(off, 'read-only');
    const choice = chooseModel(offer, request.model);
    const { provider, upstream, model } = choice;
    assertOn(off, 'ai-provider', provider.id);
    assertOn(off, 'ai-model', request.model);
    this.report.provider = provider.id;
    const adapter = ADAPTERS[provider.kind];
    const ask: AdapterRequest = {
      provider,
      text,
      request,
      upstream,
      outputLimit: undefined,
      modelLimit: model?.outputLimit,
      estimate: estimator(request, text),
    };
    const funding = await fund(
      this.#deps,
      { accountId, keyId, budgetMicroRand },
      choice,
      { ...offer, off },
      adapter,
      ask,
    );
    this.#end.funding = funding;
    this.report.saved = funding.kind === 'saved';
    try {
      const prepared = funding.kind === 'saved' ? adapter.prepare(ask) : funding.prepared;
      const sent = { ...ask, estimate: estimator(request, prepared.body, model?.contextLimit) };
      await this.#exchange(adapter, sent, choice, prepared, funding.key);
    } catch (error) {
      // Before its caller is refused, who may try again at once.
      await this.#end.release();
      throw error;
    }
  }

  /** Ends the call, however `run` ended (call-end.ts). */
  finish = (outcome: CallOutcome): Promise<void> => this.#end.finish(outcome);

  async #exchange(
    adapter: Adapter,
    ask: AdapterRequest,
    choice: Choice,
    prepared: Prepared,
    key: string,
  ): Promise<void> {
    const contentType = ask.request.stream ? STREAM_TYPE : JSON_TYPE;
    try {
      const incoming = await this.#askWithKey(choice, prepared, adapter, key);
      const silentMs = performance.now() - this.#call.startedAt;
      if (this.#staysConnected)
        this.#keepAlive = new KeepAlive(this.#sink, contentType, this.#deps.keepAliveMs, silentMs);
      if (ask.request.stream) await this.#stream(adapter, ask, incoming);
      else await this.#whole(adapter, ask, incoming);
    } catch (error) {
      if (error instanceof CallerDisconnected || this.#sink.signal.aborted) return this.#noteCallerLeft(error, ask);
      if (!(error instanceof ProviderFailure)) throw error;
      this.#passFailure(error, ask, choice);
    } finally {
      this.#keepAlive?.stop();
    }
    this.#sink.end();
  }

  #noteCallerLeft(error: unknown, ask: AdapterRequest): void {
    this.report.callerLeft = true;
    // The provider bills the prompt of a call that is cut off before its first byte.
    const isUncounted = error instanceof CallerDisconnected && error.isSent && !this.report.usage;
    if (isUncounted) this.#count(ask.estimate(0), true);
  }

  /** Tells the caller of a provider's failure: as the call's error, or in the body of a response that has begun. */
  #passFailure(failure: ProviderFailure, ask: AdapterRequest, { provider }: Choice): void {
    failure.maskKey(this.#key);
    this.report.failure = failure;
    const isBilled = failure.kind === 'content-refused' && provider.billsRefusedContent;
    if (isBilled && !this.report.usage) this.#count(ask.estimate(0), true);
    const { requestId } = this.#call;
    const apiError = toApiError(failure, { providerName: provider.name, saved: this.report.saved, requestId });
    if (this.report.firstByte === undefined && !this.#keepAlive?.isBegun) throw apiError;
    // The body says how it ended, and a stream does not say that it is done.
    const body = JSON.stringify(errorBody(apiError));
    void this.#sink.write(Buffer.from(ask.request.stream ? `data: ${body}\n\n` : body));
  }

  /** Asks with a key of the platform's again if operators have replaced the one that the provider refused. */
  async #askWithKey(choice: Choice, prepared: Prepared, adapter: Adapter, key: string): Promise<Incoming> {
    try {
      return await this.#ask(choice, prepared, adapter, key);
    } catch (error) {
      if (this.report.saved || !(error instanceof ProviderFailure) || !isAboutKey(error.kind)) throw error;
      const replacement = await this.#deps.platformKey(choice.provider.id).replacementOf(key);
      if (replacement === undefined) throw error;
      return await this.#ask(choice, prepared, adapter, replacement);
    }
  }

  async #ask({ provider }: Choice, prepared: Prepared, adapter: Adapter, key: string): Promise<Incoming> {
    this.#ignored = prepared.ignored;
    this.#key = key;
    const url = (this.#deps.baseUrls[provider.id] ?? provider.baseUrl).replace(/\/+$/, '') + prepared.path;
    this.#askedAt = performance.now();
    const headers = { ...provider.headers, ...adapter.headers(key) };
    const { checksContent } = provider;
    const { signal } = this.#sink;
    const incoming = await this.#deps.transport({ url, headers, body: prepared.body, signal, checksContent });
    this.#answeredAt = performance.now();
    return incoming;
  }

  async #whole(adapter: Adapter, ask: AdapterRequest, incoming: Incoming): Promise<void> {
    const bytes = await incoming.whole();
    this.#answeredAt = performance.now();
    const { body, usage, estimated } = adapter.answer(bytes, ask);
    this.#count(usage, estimated);
    this.#begin(JSON_TYPE);
    void this.#sink.write(body);
  }

  async #stream(adapter: Adapter, ask: AdapterRequest, incoming: Incoming): Promise<void> {
    // A page of HTML, or one JSON document, is no stream.
    if (/^(text\/html|application\/json)/i.test(incoming.contentType)) {
      adapter.answer(await incoming.whole(), ask);
      throw new ProviderFailure('broken', {});
    }
    const translator = adapter.stream(ask);
    const send = (bytes: Buffer) => {
      if (bytes.length === 0) return undefined;
      if (this.report.firstByte === undefined) {
        this.#answeredAt = performance.now();
        this.#begin(STREAM_TYPE);
      }
      return this.#sink.write(bytes);
    };
    try {
      const end = await incoming.each((piece) => {
        const sent = send(translator.push(piece));
        return translator.done || translator.failure ? 'enough' : sent;
      });
      if (translator.failure) throw translator.failure;
      if (end === 'ended' && !translator.done) void send(translator.end());
    } finally {
      // Whatever ended it: what came is charged.
      if (this.report.firstByte !== undefined) this.#count(translator.usage, translator.estimated);
    }
  }

  #begin(contentType: string): void {
    this.#keepAlive?.stop();
    const now = performance.now();
    const latency = this.#answeredAt - this.#askedAt;
    this.report.firstByte = now - this.#call.startedAt;
    this.report.overhead = this.report.firstByte - latency;
    // A response that was kept alive has no headers of the answer.
    if (this.#keepAlive?.isBegun) return;
    this.#sink.begin({
      'content-type': contentType,
      'x-upstream-latency-ms': latency.toFixed(1),
      'x-gateway-overhead-ms': this.report.overhead.toFixed(1),
      ...toIgnoredHeader(this.#ignored),
    });
  }

  #count(usage: Usage, estimated: boolean): void {
    this.report.usage = usage;
    this.report.estimated = estimated;
  }
}
