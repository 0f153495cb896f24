import { OfferInput, setOffer } from '../../domain/ai/models.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/**
 * Operator function: sets the AI models on offer and the exchange rate of the dollar. `{}` restores the built-in offer.
 */
export const handler = step(OfferInput(), (offer) => setOffer(deps, offer));
