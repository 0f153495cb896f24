import { OfferInput, setOffer } from '../../domain/ai/models.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: the AI models on offer and the price of a dollar, without a deployment. `{}` is the built-in list. */
export const handler = step(OfferInput(), (offer) => setOffer(deps, offer));
