import { memberOf } from '../../contract/json.ts';

/** Tokens of one call, each counted in exactly one of the four; their sum is the provider's total. */
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
 * Usage in the chat-completions format, from any of its dialects; undefined when what came is none.
 * - `prompt_tokens` includes what came from a cache (`prompt_tokens_details.cached_tokens`; DeepSeek: `prompt_cache_hit_tokens`).
 * - Thinking counts as output whether or not it is in `completion_tokens` (xAI and Google: in the total only).
 */
export function readUsage(value: unknown): Usage | undefined {
  const prompt = count(memberOf(value, 'prompt_tokens'));
  const completion = count(memberOf(value, 'completion_tokens'));
  if (prompt === undefined || completion === undefined) return undefined;
  const details = memberOf(value, 'prompt_tokens_details');
  const told = count(memberOf(details, 'cached_tokens')) ?? count(memberOf(value, 'prompt_cache_hit_tokens')) ?? 0;
  const cached = Math.min(prompt, told);
  const cacheWrite = Math.min(prompt - cached, count(memberOf(details, 'cache_write_tokens')) ?? 0);
  const total = count(memberOf(value, 'total_tokens')) ?? 0;
  return { input: prompt - cached - cacheWrite, cached, cacheWrite, output: Math.max(completion, total - prompt) };
}

/** Usage as the answer tells it. */
export function toChatUsage({ input, cached, cacheWrite, output }: Usage) {
  const prompt = input + cached + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

/** Estimates the tokens of a text from its bytes, where the provider reports none. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / 4);
/** About how many tokens a picture is. */
export const IMAGE_ESTIMATE = 1_000;
