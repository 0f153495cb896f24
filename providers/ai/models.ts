import type { ProviderId } from './registry.ts';

/** List prices in dollars per million tokens; each token counts in one of the four. */
export interface ListPrice {
  input: number;
  cachedInput: number;
  cacheWrite: number;
  output: number;
}

export interface Model {
  /** `<provider>/<model>`, as callers name it. */
  id: string;
  provider: ProviderId;
  /** As the provider names it. */
  upstream: string;
  name: string;
  price: ListPrice;
  /** Tokens of input and output together, and of output alone. */
  contextLimit: number;
  outputLimit: number;
  /** True when the model is sold on credits; otherwise it requires the caller's own key. */
  credits: boolean;
}

type Tokens = [contextLimit: number, outputLimit: number];

function model(
  provider: ProviderId,
  upstream: string,
  name: string,
  [contextLimit, outputLimit]: Tokens,
  price: [input: number, cachedInput: number, output: number],
  cacheWrite = price[0],
): Model {
  const [input, cachedInput, output] = price;
  const id = `${provider}/${upstream}`;
  const limits = { contextLimit, outputLimit };
  return { id, provider, upstream, name, price: { input, cachedInput, cacheWrite, output }, ...limits, credits: true };
}

/** Writing to Anthropic's cache costs a quarter more than reading text for the first time. */
const claude = (upstream: string, name: string, tokens: Tokens, price: [number, number, number]): Model =>
  model('anthropic', upstream, name, tokens, price, price[0] * 1.25);

/** The built-in offer from the providers' price lists; operators may replace it (functions/operator/setAiOffer). */
export const MODELS: readonly Model[] = [
  model('openai', 'gpt-5', 'GPT-5', [400_000, 128_000], [1.25, 0.125, 10]),
  model('openai', 'gpt-5-mini', 'GPT-5 mini', [400_000, 128_000], [0.25, 0.025, 2]),
  model('openai', 'gpt-5-nano', 'GPT-5 nano', [400_000, 128_000], [0.05, 0.005, 0.4]),
  model('openai', 'gpt-4.1', 'GPT-4.1', [1_047_576, 32_768], [2, 0.5, 8]),
  model('openai', 'gpt-4.1-mini', 'GPT-4.1 mini', [1_047_576, 32_768], [0.4, 0.1, 1.6]),
  model('openai', 'gpt-4o', 'GPT-4o', [128_000, 16_384], [2.5, 1.25, 10]),
  model('openai', 'gpt-4o-mini', 'GPT-4o mini', [128_000, 16_384], [0.15, 0.075, 0.6]),
  claude('claude-opus-4-5', 'Claude Opus 4.5', [200_000, 64_000], [5, 0.5, 25]),
  claude('claude-sonnet-4-5', 'Claude Sonnet 4.5', [200_000, 64_000], [3, 0.3, 15]),
  claude('claude-haiku-4-5', 'Claude Haiku 4.5', [200_000, 64_000], [1, 0.1, 5]),
  claude('claude-3-5-haiku-latest', 'Claude Haiku 3.5', [200_000, 8_192], [0.8, 0.08, 4]),
  model('google', 'gemini-2.5-pro', 'Gemini 2.5 Pro', [1_048_576, 65_536], [2.5, 0.25, 15]),
  model('google', 'gemini-2.5-flash', 'Gemini 2.5 Flash', [1_048_576, 65_536], [0.3, 0.03, 2.5]),
  model('mistral', 'mistral-large-latest', 'Mistral Large', [128_000, 128_000], [2, 2, 6]),
  model('mistral', 'mistral-small-latest', 'Mistral Small', [128_000, 128_000], [0.1, 0.1, 0.3]),
  model('groq', 'llama-3.3-70b-versatile', 'Llama 3.3 70B', [131_072, 32_768], [0.59, 0.59, 0.79]),
  model('deepseek', 'deepseek-chat', 'DeepSeek Chat', [128_000, 8_192], [0.28, 0.028, 0.42]),
  model('xai', 'grok-4', 'Grok 4', [256_000, 256_000], [3, 0.75, 15]),
  model(
    'together',
    'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    'Llama 3.3 70B Turbo',
    [131_072, 131_072],
    [0.88, 0.88, 0.88],
  ),
  // Priced by the company that serves it: available only with the caller's own key.
  { ...model('openrouter', 'openrouter/auto', 'OpenRouter Auto', [2_000_000, 2_000_000], [0, 0, 0]), credits: false },
];
