import { type ChatRequest, TRANSLATED_FIELDS } from '../../contract/ai/chat.ts';
import { findFieldProblem } from '../../contract/ai/credit-fields.ts';
import { ApiError } from '../../contract/errors.ts';
import { truncate } from '../../contract/text.ts';
import type { Adapter, AdapterRequest, Prepared } from '../../providers/ai/adapter.ts';
import { DEFAULT_MAX_TOKENS } from '../../providers/ai/anthropic-request.ts';
import type { Model } from '../../providers/ai/models.ts';
import type { Provider } from '../../providers/ai/registry.ts';
import { affordableOutput, maxCost, type Rate } from './prices.ts';
import { measureImages } from './prompt.ts';
import { measureSchemas } from './schema-size.ts';

/**
 * The price of a call on credits before it is made. The invariant: whatever a provider counts of the body that it is sent
 * (a token is at least a byte; a picture at most `imageTokens`; the output at most the one limit that is sent), the call
 * costs no more than `microRand`. A body for which that cannot be said is refused.
 */
export interface Quote {
  /** The request as it is sent. */
  prepared: Prepared;
  /** The most that the call can cost. */
  microRand: number;
  /** The most tokens that the prompt can count as. */
  promptTokens: number;
  /** The output limit that is sent, for each of the answers. */
  outputLimit: number;
  answers: number;
}

/** Tokens that a provider adds to a prompt of its own accord: markers of the conversation, a system prompt. */
const ADDED_TOKENS = 512;
/** Tokens of a picture for a model that does not say: the most that any provider counts (GPT-4o mini). */
const MAX_IMAGE_TOKENS = 50_000;
/** A caller may name a field as they like; so much of it is repeated. */
const MAX_FIELD_LENGTH = 128;
/** The least output that is asked for where a prompt fills the model's context, in tokens. */
const MIN_OUTPUT = 1_024;
/** A prompt may be so much longer than it is estimated. */
const ESTIMATE_MARGIN = 1.3;

/** Fields of a translated request that are judged here: the translation judges the messages. */
const JUDGED_FIELDS: ReadonlySet<string> = new Set(TRANSLATED_FIELDS.filter((field) => field !== 'messages'));

/** Throws 400 for a field that is malformed, or that cannot be priced and would be sent. */
function assertPriced(request: ChatRequest, provider: Provider): void {
  const problem =
    provider.kind === 'anthropic'
      ? // Fields that are not translated are not sent: they cost nothing and are ignored, whatever they hold.
        Object.entries(request)
          .filter(([field]) => JUDGED_FIELDS.has(field))
          .map(([field, value]) => findFieldProblem({ [field]: value }))
          .find((found) => found && !found.unpriced)
      : findFieldProblem(request);
  if (!problem) return;
  const { field, reason, unpriced } = problem;
  const hint = unpriced ? `; to use it, save your own ${provider.name} key in the dashboard` : '';
  throw new ApiError('invalid_request', `${truncate(field, MAX_FIELD_LENGTH)}: ${reason}${hint}.`);
}

/** The output limit of a call: the larger of the caller's two, and never more than the model can put out. */
function outputLimitOf({ request, provider, estimate }: AdapterRequest, model: Model): number {
  const asked = Math.max(request.max_completion_tokens ?? 0, request.max_tokens ?? 0);
  if (asked > 0) return Math.min(asked, model.outputLimit);
  const most = provider.kind === 'anthropic' ? Math.min(DEFAULT_MAX_TOKENS, model.outputLimit) : model.outputLimit;
  // Providers refuse a limit that does not fit into the context beside the prompt.
  const left = model.contextLimit - Math.ceil(estimate(0).input * ESTIMATE_MARGIN);
  return Math.max(Math.min(most, left), Math.min(most, MIN_OUTPUT));
}

/** The most tokens that the pictures of a request count as, beyond their bytes in the body. */
function countImages(request: ChatRequest, model: Model, provider: Provider): number {
  const { embedded, base64Bytes, addressed } = measureImages(request);
  const { imageTokens = MAX_IMAGE_TOKENS, contextLimit } = model;
  const byAddress = addressed * (provider.readsFilesByAddress ? contextLimit : imageTokens);
  // A model that reads no pictures may be given one as text.
  return byAddress + (imageTokens === 0 ? 0 : embedded * imageTokens - base64Bytes);
}

/** Prices a call on credits. Throws 400 for a body that cannot be priced, or that this format has no words for. */
export function quoteCall(adapter: Adapter, ask: AdapterRequest, model: Model, rate: Rate): Quote {
  const { request, provider } = ask;
  assertPriced(request, provider);
  const outputLimit = outputLimitOf(ask, model);
  const prepared = adapter.prepare({ ...ask, outputLimit });
  const answers = provider.kind === 'anthropic' ? 1 : (request.n ?? 1);
  const read = countImages(request, model, provider) + (provider.kind === 'anthropic' ? 0 : measureSchemas(request));
  const promptTokens = Math.min(model.contextLimit, Buffer.byteLength(prepared.body) + read + ADDED_TOKENS);
  const microRand = maxCost(rate, promptTokens, outputLimit * answers);
  return { prepared, microRand, promptTokens, outputLimit, answers };
}

/** Lowers a call's output limit to what an amount pays for. Returns undefined when it does not cover the prompt. */
export function lowerOutput(
  quote: Quote,
  adapter: Adapter,
  ask: AdapterRequest,
  rate: Rate,
  microRand: number,
): Prepared | undefined {
  const affordable = Math.floor(affordableOutput(rate, quote.promptTokens, microRand) / quote.answers);
  if (affordable < 1) return undefined;
  return adapter.prepare({ ...ask, outputLimit: Math.min(quote.outputLimit, affordable) });
}
