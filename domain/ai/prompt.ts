import type { ChatRequest } from '../../contract/ai/chat.ts';
import type { Model } from '../../providers/ai/models.ts';
import { estimateTokens, IMAGE_ESTIMATE, type Usage } from '../../providers/ai/usage.ts';
import { affordableTokens, calculateCost, maxInputCost, type Rate } from './prices.ts';

/** Size of a request, from which its maximum and its probable cost follow. */
export interface Prompt {
  /** Bytes of the whole body without its pictures. A token is at least a byte. */
  textBytes: number;
  images: number;
  /** Answers asked for. */
  answers: number;
  /** The caller's limit on the output, in tokens. */
  outputLimit: number | undefined;
}

/** The most tokens that a picture counts as, about: providers scale large ones down. */
const MAX_IMAGE_TOKENS = 3_000;

export function measurePrompt(request: ChatRequest, text: string, byteLength = Buffer.byteLength(text)): Prompt {
  let images = 0;
  let imageBytes = 0;
  for (const { content } of request.messages) {
    if (!Array.isArray(content)) continue;
    for (const { image_url } of content) {
      if (!image_url) continue;
      images += 1;
      imageBytes += image_url.url.length;
    }
  }
  const textBytes = Math.max(0, byteLength - imageBytes);
  const outputLimit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  return { textBytes, images, answers: request.n ?? 1, outputLimit };
}

/** Estimates a call's usage where the provider reports none. */
export const estimator =
  ({ textBytes, images }: Prompt) =>
  (streamedBytes: number): Usage => ({
    input: estimateTokens(textBytes) + images * IMAGE_ESTIMATE,
    cached: 0,
    cacheWrite: 0,
    output: estimateTokens(streamedBytes),
  });

/** The most that a call can cost, in micro-rand; `answers` only where the provider knows `n`. */
export function maxCost(prompt: Prompt, model: Model, rate: Rate, answers: number): number {
  const input = Math.min(model.contextLimit, prompt.textBytes + prompt.images * MAX_IMAGE_TOKENS);
  const output = Math.min(prompt.outputLimit ?? model.outputLimit, model.outputLimit) * answers;
  return maxInputCost(rate, input) + calculateCost(rate, { input: 0, cached: 0, cacheWrite: 0, output });
}

/**
 * The output that what is left of an amount pays for, per answer, in tokens: after the prompt at what it probably costs
 * (that it may be more is the platform's risk: the rest is written off). 0 where the prompt alone uses it up.
 */
export function affordableOutput(prompt: Prompt, rate: Rate, microRand: number, answers: number): number {
  const { input } = estimator(prompt)(0);
  return Math.floor(
    affordableTokens(rate, microRand - calculateCost(rate, { input, cached: 0, cacheWrite: 0, output: 0 })) / answers,
  );
}
