import { type ChatRequest, TRANSLATED_FIELDS } from '../../contract/ai/chat.ts';
import { findFieldProblem } from '../../contract/ai/credit-fields.ts';
import { invalidField } from '../../contract/errors.ts';
import { truncate } from '../../contract/text.ts';
import type { AdapterRequest, Prepared } from '../../providers/ai/adapter.ts';
import { adapterFor } from '../../providers/ai/adapters.ts';
import { DEFAULT_MAX_TOKENS } from '../../providers/ai/anthropic-request.ts';
import type { Model } from '../../providers/ai/models.ts';
import type { Provider } from '../../providers/ai/registry.ts';
import { affordableOutput, maxCost, type Rate } from './prices.ts';
import { measureImages } from './prompt.ts';
import { measureSchemas } from './schema-size.ts';

/**
 * The maximum cost of a call on credits, determined before the call. Invariant: however the provider counts the body that it receives,
 * the call costs at most `microRand`. (A token is at least a byte, an image is at most `imageTokens`, and the output is at most the
 * one limit that is sent.) A body for which this cannot be guaranteed is refused.
 */
export interface Quote {
  /** The request as it is sent to the provider. */
  prepared: Prepared;
  /** The maximum cost of the call. */
  microRand: number;
  /** The maximum number of tokens of the prompt. */
  promptTokens: number;
  /** The output limit that is sent, per answer. */
  outputLimit: number;
  answers: number;
}

/** Tokens that a provider adds to a prompt: conversation markers, a system prompt. */
const ADDED_TOKENS = 512;
/** Tokens of an image for models without a documented number: the most that any provider counts (GPT-4o mini). */
const MAX_IMAGE_TOKENS = 50_000;
/** Characters of a field's name that an error message repeats: the caller chooses the name. */
const MAX_FIELD_LENGTH = 128;
/** The minimum output limit to request if the prompt nearly fills the model's context, in tokens. */
const MIN_OUTPUT = 1_024;
/** A prompt may have up to this many times its estimated tokens. */
const ESTIMATE_MARGIN = 1.3;

/** Fields of a translated request that are validated here; the translation validates the messages. */
const CHECKED_FIELDS: ReadonlySet<string> = new Set(TRANSLATED_FIELDS.filter((field) => field !== 'messages'));

/** Throws 400 for a malformed field, and for a field that would be sent and cannot be priced. */
function assertPriced(request: ChatRequest, provider: Provider): void {
  const problem =
    provider.kind === 'anthropic'
      ? // Fields that are not translated are not sent. They cost nothing, so they are ignored, whatever their value.
        Object.entries(request)
          .filter(([field]) => CHECKED_FIELDS.has(field))
          .map(([field, value]) => findFieldProblem({ [field]: value }))
          .find((found) => found && !found.unpriced)
      : findFieldProblem(request);
  if (!problem) return;
  const { field, reason, unpriced } = problem;
  const hint = unpriced ? `; to use it, save your own ${provider.name} key in the dashboard` : '';
  throw invalidField(truncate(field, MAX_FIELD_LENGTH), `${reason}${hint}.`);
}

/** Returns the output limit of a call: the larger of the caller's two limits, and never more than the model's. */
function outputLimitOf({ request, provider, estimate }: AdapterRequest, model: Model): number {
  const requested = Math.max(request.max_completion_tokens ?? 0, request.max_tokens ?? 0);
  if (requested > 0) return Math.min(requested, model.outputLimit);
  const max = provider.kind === 'anthropic' ? Math.min(DEFAULT_MAX_TOKENS, model.outputLimit) : model.outputLimit;
  // Providers refuse a limit that does not fit into the context together with the prompt.
  const remaining = model.contextLimit - Math.ceil(estimate(0).input * ESTIMATE_MARGIN);
  return Math.max(Math.min(max, remaining), Math.min(max, MIN_OUTPUT));
}

/** Returns the maximum tokens of a request's images, beyond their bytes in the body. */
function countImages(request: ChatRequest, model: Model, provider: Provider): number {
  const { embedded, base64Bytes, addressed } = measureImages(request);
  const { imageTokens = MAX_IMAGE_TOKENS, contextLimit } = model;
  const byAddress = addressed * (provider.readsFilesByAddress ? contextLimit : imageTokens);
  // A model without image support may receive the base64 as text.
  return byAddress + (imageTokens === 0 ? 0 : embedded * imageTokens - base64Bytes);
}

/** Prices a call on credits. Throws 400 for a body that cannot be priced or cannot be translated to the provider's format. */
export function quoteCall(adapterRequest: AdapterRequest, model: Model, rate: Rate): Quote {
  const { request, provider } = adapterRequest;
  assertPriced(request, provider);
  const outputLimit = outputLimitOf(adapterRequest, model);
  const prepared = adapterFor(provider).prepare({ ...adapterRequest, outputLimit });
  const answers = provider.kind === 'anthropic' ? 1 : (request.n ?? 1);
  const extraTokens =
    countImages(request, model, provider) + (provider.kind === 'anthropic' ? 0 : measureSchemas(request));
  const promptTokens = Math.min(model.contextLimit, Buffer.byteLength(prepared.body) + extraTokens + ADDED_TOKENS);
  const microRand = maxCost(rate, promptTokens, outputLimit * answers);
  return { prepared, microRand, promptTokens, outputLimit, answers };
}

/** Lowers a call's output limit to what an amount pays for. Returns undefined if the amount does not cover the prompt. */
export function lowerOutput(
  quote: Quote,
  adapterRequest: AdapterRequest,
  rate: Rate,
  microRand: number,
): Prepared | undefined {
  const affordable = Math.floor(affordableOutput(rate, quote.promptTokens, microRand) / quote.answers);
  if (affordable < 1) return undefined;
  const outputLimit = Math.min(quote.outputLimit, affordable);
  return adapterFor(adapterRequest.provider).prepare({ ...adapterRequest, outputLimit });
}
