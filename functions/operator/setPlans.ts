import { PlansInput, setPlans } from '../../domain/billing/plans.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: sets the plans and their prices. `{}` restores the built-in list. */
export const handler = operatorFunction(PlansInput(), (deps, offer) => setPlans(deps, offer));
