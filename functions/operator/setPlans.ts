import { PlansInput, setPlans } from '../../domain/billing/plans.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: sets the plans and their prices. `{}` restores the built-in list. */
export const handler = byHand(PlansInput(), (deps, offer) => setPlans(deps, offer));
