import { createSubscription as route } from '../../contract/billing/subscriptions.ts';
import { createSubscription } from '../../domain/billing/subscriptions.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { plans } from '../../runtime/plans.ts';

/** POST /dashboard/v1/subscriptions */
export const handler = endpoint(route, createSubscription, { plans });
