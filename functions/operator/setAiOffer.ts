import { OfferInput, setOffer } from '../../domain/ai/models.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/**
 * Operator function: sets the AI models on offer and the exchange rate of the dollar. `{}` restores the built-in offer.
 */
export const handler = operatorFunction(OfferInput(), (deps, offer) => setOffer(deps, offer));
