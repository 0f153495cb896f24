import { PlansInput, setPlans } from '../../domain/billing/plans.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: the plans and their prices, without a deployment. `{}` is the built-in list. */
export const handler = step(PlansInput(), (offer) => setPlans(deps, offer));
