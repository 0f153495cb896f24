import type { AI_PROVIDER_IDS } from '../../contract/enums.ts';

/** A company whose models the gateway offers. To add one, add an entry here and its id in contract/enums.ts. */
export interface Provider {
  id: ProviderId;
  name: string;
  /** In the form of the provider's own SDK. */
  baseUrl: string;
  /** The wire format: chat completions, which pass through, or Anthropic's Messages API. */
  kind: 'openai' | 'anthropic';
  /** Headers in addition to the key and the content type. */
  headers: Record<string, string>;
  /** True if the provider accepts `stream_options: {include_usage: true}`; the others always report usage. */
  takesStreamOptions: boolean;
  /** The field for the output limit of calls on credits. */
  limitField: 'max_tokens' | 'max_completion_tokens';
  /** True if the provider may read any file at an image's URL, such as a long document or a video. */
  readsFilesByAddress: boolean;
  /**
   * Set if the provider refuses messages with members that are null or that it does not know. Returns the members of answers
   * (`ANSWER_MEMBERS` in openai-request.ts) that the model of this name nevertheless accepts.
   */
  acceptedAnswerMembers?: (upstream: string) => readonly string[];
  /**
   * True if the provider thinks by default (`thinking`) and then refuses a conversation whose tool calls lack the `reasoning_content`
   * that came with them.
   */
  needsReasoning: boolean;
  /** True if the provider answers 403 when its safety checks refuse a request. From other providers a 403 is about the key. */
  checksContent: boolean;
  /** True if the provider charges for a request whose content its safety checks refuse. */
  billsRefusedContent: boolean;
}

export type ProviderId = (typeof AI_PROVIDER_IDS)[number];

const passThrough = (id: ProviderId, name: string, baseUrl: string, more: Partial<Provider> = {}): Provider => ({
  id,
  name,
  baseUrl,
  kind: 'openai',
  headers: {},
  takesStreamOptions: true,
  limitField: 'max_tokens',
  readsFilesByAddress: false,
  needsReasoning: false,
  checksContent: false,
  billsRefusedContent: false,
  ...more,
});

export const PROVIDERS: Readonly<Record<ProviderId, Provider>> = {
  // OpenAI's reasoning models refuse max_tokens; all its models accept the newer name.
  openai: passThrough('openai', 'OpenAI', 'https://api.openai.com/v1', { limitField: 'max_completion_tokens' }),
  anthropic: passThrough('anthropic', 'Anthropic', 'https://api.anthropic.com', {
    kind: 'anthropic',
    headers: { 'anthropic-version': '2023-06-01' },
  }),
  google: passThrough('google', 'Google', 'https://generativelanguage.googleapis.com/v1beta/openai', {
    readsFilesByAddress: true,
    acceptedAnswerMembers: () => ['extra_content'],
  }),
  // Mistral refuses fields that it does not know, and always sends the usage.
  mistral: passThrough('mistral', 'Mistral AI', 'https://api.mistral.ai/v1', {
    takesStreamOptions: false,
    acceptedAnswerMembers: () => ['index'],
  }),
  // Models without reasoning refuse even Groq's own member for it.
  groq: passThrough('groq', 'Groq', 'https://api.groq.com/openai/v1', {
    acceptedAnswerMembers: (upstream) => (upstream.startsWith('openai/gpt-oss') ? ['reasoning'] : []),
  }),
  deepseek: passThrough('deepseek', 'DeepSeek', 'https://api.deepseek.com', { needsReasoning: true }),
  xai: passThrough('xai', 'xAI', 'https://api.x.ai/v1', { checksContent: true, billsRefusedContent: true }),
  openrouter: passThrough('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', { checksContent: true }),
  together: passThrough('together', 'Together AI', 'https://api.together.xyz/v1'),
};

export const isProviderId = (id: string): id is ProviderId => Object.hasOwn(PROVIDERS, id);

/**
 * Returns the address of a call. Anthropic's own SDK takes a base URL without `/v1` and others take it with `/v1`, so `/v1` is never
 * repeated.
 */
export function addressOf(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  return base.endsWith('/v1') && path.startsWith('/v1/') ? base + path.slice('/v1'.length) : base + path;
}
