import { currentOffer, type Offer } from '../../domain/ai/models.ts';
import type { ProviderId } from '../../providers/ai/registry.ts';
import { config } from '../config.ts';
import { deps } from '../deps.ts';

/** The AI offer, cached in this process. */
export const offer: () => Promise<Offer> = currentOffer(deps, config.AI_RAND_PER_DOLLAR);

export const baseUrls: Partial<Record<ProviderId, string>> = config.AI_PROVIDER_BASE_URLS;
