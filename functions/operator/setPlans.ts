import { PlansInput, setPlans } from '../../domain/billing/plans.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: sets the plans and their prices. `{}` restores the built-in list. */
export const handler = step(PlansInput(), (offer) => setPlans(deps, offer));
