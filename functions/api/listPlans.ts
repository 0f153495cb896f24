import { listPlans as route } from '../../contract/billing/plans.ts';
import { listPlans } from '../../domain/billing/plans.ts';
import { plans } from '../../runtime/bindings/plans.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/plans */
export const handler = endpoint(route, listPlans, { plans });
