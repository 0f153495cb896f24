import { listSubscriptions as route } from '../../contract/billing/subscriptions.ts';
import { listSubscriptions } from '../../domain/billing/subscriptions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/subscriptions */
export const handler = endpoint(route, listSubscriptions);
