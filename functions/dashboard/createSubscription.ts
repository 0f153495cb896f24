import { createSubscription as route } from '../../contract/billing/subscriptions.ts';
import { createSubscription } from '../../domain/billing/subscriptions.ts';
import { plans } from '../../runtime/bindings/plans.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { txt } from '../../runtime/bindings/txt-records.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/subscriptions */
export const handler = endpoint(route, createSubscription, { plans, txt, tlds });
