import { listPlans as route } from '../../contract/billing/plans.ts';
import { listPlans } from '../../domain/billing/plans.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { plans } from '../../runtime/plans.ts';

/** GET /v1/plans */
export const handler = endpoint(route, listPlans, { plans });
