import { plansOffered } from '../domain/billing/plans.ts';
import { deps } from './deps.ts';

/** The plans as this process knows them. */
export const plans = plansOffered(deps);
