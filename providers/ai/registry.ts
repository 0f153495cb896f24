import type { AI_PROVIDER_IDS } from '../../contract/enums.ts';

/** A company whose models we pass on, as data: adding one is adding an entry, and its id in contract/enums.ts. */
export interface Provider {
  id: ProviderId;
  name: string;
  /** As the provider's own SDK takes it. */
  baseUrl: string;
  /** The wire format it speaks: chat completions, which pass through, or Anthropic's messages. */
  kind: 'openai' | 'anthropic';
  /** Headers besides the key and the content type. */
  headers: Record<string, string>;
  /** True when the provider accepts `stream_options: {include_usage: true}`; the others report usage unasked. */
  takesStreamOptions: boolean;
  /** The field that limits the output where the caller named none. */
  limitField: 'max_tokens' | 'max_completion_tokens';
  /** True when the provider may read any file behind the address of a picture: a document of many pages, a film. */
  readsFilesByAddress: boolean;
  /**
   * Set when the provider refuses messages of a conversation with members that it does not know, or that are null: the members
   * of answers (openai-request.ts) that a model of this name takes back all the same.
   */
  takesOfAnswers?: (upstream: string) => readonly string[];
  /**
   * True when the provider thinks unasked (`thinking`), and then refuses the tool calls of a conversation without the
   * `reasoning_content` that came with them.
   */
  needsReasoning: boolean;
  /** True when the provider refuses with 403 what its safety checks find in a request. With others 403 is about the key. */
  checksContent: boolean;
  /** True when the provider charges for a request whose content its safety checks refuse. */
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
  // OpenAI's reasoning models refuse max_tokens; all its models take the newer name.
  openai: passThrough('openai', 'OpenAI', 'https://api.openai.com/v1', { limitField: 'max_completion_tokens' }),
  anthropic: passThrough('anthropic', 'Anthropic', 'https://api.anthropic.com', {
    kind: 'anthropic',
    headers: { 'anthropic-version': '2023-06-01' },
  }),
  google: passThrough('google', 'Google', 'https://generativelanguage.googleapis.com/v1beta/openai', {
    readsFilesByAddress: true,
    takesOfAnswers: () => ['extra_content'],
  }),
  // Mistral refuses fields that it does not know, and always sends the usage.
  mistral: passThrough('mistral', 'Mistral AI', 'https://api.mistral.ai/v1', {
    takesStreamOptions: false,
    takesOfAnswers: () => ['index'],
  }),
  // Models without reasoning refuse even Groq's own member for it.
  groq: passThrough('groq', 'Groq', 'https://api.groq.com/openai/v1', {
    takesOfAnswers: (upstream) => (upstream.startsWith('openai/gpt-oss') ? ['reasoning'] : []),
  }),
  deepseek: passThrough('deepseek', 'DeepSeek', 'https://api.deepseek.com', { needsReasoning: true }),
  xai: passThrough('xai', 'xAI', 'https://api.x.ai/v1', { checksContent: true, billsRefusedContent: true }),
  openrouter: passThrough('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', { checksContent: true }),
  together: passThrough('together', 'Together AI', 'https://api.together.xyz/v1'),
};

export const isProviderId = (id: string): id is ProviderId => Object.hasOwn(PROVIDERS, id);
