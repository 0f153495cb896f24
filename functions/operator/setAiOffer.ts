import { OfferInput, setOffer } from '../../domain/ai/models.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/**
 * Operator function: sets the AI models on offer and the exchange rate of the dollar. `{}` restores the built-in offer.
 */
export const handler = byHand(OfferInput(), (deps, offer) => setOffer(deps, offer));
