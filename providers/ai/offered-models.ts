import type { ProviderId } from './registry.ts';

/** A model that is sold on credits. Its prices are in `price-list.json` (`npm run prices:update`). */
export interface OfferedModel {
  provider: ProviderId;
  /** The provider's name of the model. */
  upstream: string;
  name: string;
  /** Maximum output tokens that the gateway requests for one answer; at most the provider's limit. */
  outputLimit: number;
  /** Tokens of input and output together, if the price list has no value or a smaller one. */
  contextLimit?: number;
  /**
   * The most tokens that an image counts as: the largest size at high detail, by the provider's documentation, rounded up. 0 if the
   * model does not read images.
   */
  imageTokens: number;
}

function offer(
  provider: ProviderId,
  outputLimit: number,
  imageTokens: number,
  names: Record<string, string>,
  contextLimit?: number,
): OfferedModel[] {
  const limits = { outputLimit, imageTokens, ...(contextLimit === undefined ? {} : { contextLimit }) };
  return Object.entries(names).map(([upstream, name]) => ({ provider, upstream, name, ...limits }));
}

/** Tokens of an image of at most 1,536 patches, times 2.46 for the smallest models, rounded up. */
const PATCHES = 4_000;
/** Tokens of an image of at most 10,000 patches, times 2.46, rounded up. */
const MANY_PATCHES = 25_000;

/**
 * The models that are sold on credits. Aliases that move to another model unannounced (`…-latest`) are not offered: their price cannot be
 * pinned, and the model behind them has its own name.
 */
export const OFFERED_MODELS: readonly OfferedModel[] = [
  ...offer('openai', 128_000, MANY_PATCHES, {
    'gpt-6-luna': 'GPT-6 Luna',
    'gpt-6-sol': 'GPT-6 Sol',
    'gpt-6-astra': 'GPT-6 Astra',
    'gpt-5.6-luna': 'GPT-5.6 Luna',
    'gpt-5.6-terra': 'GPT-5.6 Terra',
    'gpt-5.6-sol': 'GPT-5.6 Sol',
    'gpt-5.5': 'GPT-5.5',
    'gpt-5.4-mini': 'GPT-5.4 mini',
    'gpt-5.4-nano': 'GPT-5.4 nano',
  }),
  ...offer('openai', 128_000, PATCHES, { 'gpt-5': 'GPT-5', 'gpt-5-mini': 'GPT-5 mini', 'gpt-5-nano': 'GPT-5 nano' }),
  ...offer('openai', 32_768, PATCHES, { 'gpt-4.1': 'GPT-4.1', 'gpt-4.1-mini': 'GPT-4.1 mini' }, 1_047_576),
  ...offer('openai', 16_384, PATCHES, { 'gpt-4o': 'GPT-4o' }),
  // Counts an image as 2,833 tokens plus 5,667 for each of up to 8 tiles.
  ...offer('openai', 16_384, 50_000, { 'gpt-4o-mini': 'GPT-4o mini' }),
  ...offer('anthropic', 64_000, 5_000, {
    'claude-fable-5-1': 'Claude Fable 5.1',
    'claude-opus-5-5': 'Claude Opus 5.5',
    'claude-opus-5': 'Claude Opus 5',
    'claude-sonnet-5': 'Claude Sonnet 5',
    'claude-sonnet-4-6': 'Claude Sonnet 4.6',
    'claude-haiku-4-5': 'Claude Haiku 4.5',
    'claude-opus-4-5': 'Claude Opus 4.5',
    'claude-sonnet-4-5': 'Claude Sonnet 4.5',
  }),
  ...offer(
    'google',
    65_536,
    5_000,
    {
      'gemini-3.8-flash': 'Gemini 3.8 Flash',
      'gemini-3.5-flash': 'Gemini 3.5 Flash',
      'gemini-3.5-flash-lite': 'Gemini 3.5 Flash Lite',
      'gemini-3.1-pro-preview': 'Gemini 3.1 Pro',
      'gemini-2.5-pro': 'Gemini 2.5 Pro',
      'gemini-2.5-flash': 'Gemini 2.5 Flash',
    },
    1_048_576,
  ),
  ...offer(
    'mistral',
    32_768,
    5_000,
    {
      'mistral-large-2512': 'Mistral Large 3',
      'mistral-medium-3-5': 'Mistral Medium 3.5',
      'mistral-small-2603': 'Mistral Small 4',
    },
    262_144,
  ),
  ...offer('groq', 32_768, 0, { 'openai/gpt-oss-120b': 'GPT OSS 120B', 'openai/gpt-oss-20b': 'GPT OSS 20B' }, 131_072),
  ...offer('deepseek', 65_536, 0, { 'deepseek-v4-pro': 'DeepSeek V4 Pro' }),
  // DeepSeek does not document how it counts images, so this is the maximum of all providers.
  ...offer('deepseek', 65_536, 50_000, { 'deepseek-v4-flash': 'DeepSeek V4.1 Flash' }),
  ...offer('xai', 65_536, 10_000, { 'grok-4.6': 'Grok 4.6', 'grok-4.3': 'Grok 4.3' }),
  ...offer('together', 16_384, 0, { 'meta-llama/Llama-3.3-70B-Instruct-Turbo': 'Llama 3.3 70B Turbo' }, 131_072),
];

/**
 * Retired models whose name the provider keeps serving from a day on (`YYYY-MM-DD`), by another model on offer and at that model's price.
 * From that day they are sold as their successor, so that an announced retirement needs no deployment.
 */
export const SUCCESSORS: Readonly<Record<string, { from: string; upstream: string }>> = {
  // https://ai.google.dev/gemini-api/docs/deprecations, as read on 10 November 2026
  'google/gemini-2.5-pro': { from: '2026-12-01', upstream: 'gemini-3.8-flash' },
  'google/gemini-2.5-flash': { from: '2026-12-01', upstream: 'gemini-3.5-flash-lite' },
};

/** Prices in dollars that the provider bills while the price list is outdated. Remove an entry once the list has the new price. */
export const CORRECTIONS: Readonly<
  Record<string, { input: number; cachedInput: number; cacheWrite: number; output: number }>
> = {
  // Served and billed as V4.1 Flash since 10 September 2026, here at peak hours: https://api-docs.deepseek.com/quick_start/pricing
  'deepseek/deepseek-v4-flash': { input: 0.3, cachedInput: 0.006, cacheWrite: 0.3, output: 1.2 },
};
