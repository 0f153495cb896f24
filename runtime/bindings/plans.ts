import { currentPlans } from '../../domain/billing/plans.ts';
import { deps } from '../deps.ts';

/** The plans on sale, cached in this process. */
export const plans = currentPlans(deps);
