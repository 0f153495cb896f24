import { currentOffer, type Offer } from '../../domain/ai/models.ts';
import type { ProviderId } from '../../providers/ai/registry.ts';
import { config } from '../config.ts';
import { deps } from '../deps.ts';

/** The AI offer, cached in this process. */
export const offer: () => Promise<Offer> = currentOffer(deps, config.AI_RAND_PER_DOLLAR);

/** Returns the platform's key for a provider; undefined if there is none. */
export const ownKey = (provider: ProviderId): string | undefined =>
  ({
    openai: config.OPENAI_API_KEY,
    anthropic: config.ANTHROPIC_API_KEY,
    google: config.GOOGLE_API_KEY,
    mistral: config.MISTRAL_API_KEY,
    groq: config.GROQ_API_KEY,
    deepseek: config.DEEPSEEK_API_KEY,
    xai: config.XAI_API_KEY,
    openrouter: config.OPENROUTER_API_KEY,
    together: config.TOGETHER_API_KEY,
  })[provider] || undefined;

export const baseUrls: Partial<Record<ProviderId, string>> = config.AI_PROVIDER_BASE_URLS;
