import { memberOf } from '../../contract/json.ts';

/** Tokens of one call. Each token counts in exactly one of the four; their sum is the provider's total. */
export interface Usage {
  /** Read for the first time and not written to a cache. */
  input: number;
  /** Read from the provider's cache. */
  cached: number;
  cacheWrite: number;
  output: number;
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/**
 * Reads a usage in any dialect of the chat-completions format; undefined if the value is not a usage.
 * - `prompt_tokens` includes the tokens read from a cache (`prompt_tokens_details.cached_tokens`; DeepSeek: `prompt_cache_hit_tokens`).
 * - Thinking counts as output whether or not it is in `completion_tokens` (xAI and Google: in the total only). An answer of only thinking may
 *   have no `completion_tokens` at all.
 */
export function readUsage(value: unknown): Usage | undefined {
  const prompt = count(memberOf(value, 'prompt_tokens'));
  const total = count(memberOf(value, 'total_tokens'));
  const completion = count(memberOf(value, 'completion_tokens')) ?? (total === undefined ? undefined : 0);
  if (prompt === undefined || completion === undefined) return undefined;
  const details = memberOf(value, 'prompt_tokens_details');
  const reported = count(memberOf(details, 'cached_tokens')) ?? count(memberOf(value, 'prompt_cache_hit_tokens')) ?? 0;
  const cached = Math.min(prompt, reported);
  const cacheWrite = Math.min(prompt - cached, count(memberOf(details, 'cache_write_tokens')) ?? 0);
  const output = Math.max(completion, (total ?? 0) - prompt);
  return { input: prompt - cached - cacheWrite, cached, cacheWrite, output };
}

/** Converts a usage to the form of a chat completion. */
export function toChatUsage({ input, cached, cacheWrite, output }: Usage) {
  const prompt = input + cached + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

/** Estimates the tokens of a text from its bytes, for providers that do not report them. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / 4);
/** Approximate tokens of an image. */
export const IMAGE_ESTIMATE = 1_000;
