import { cancelSubscription as route } from '../../contract/billing/subscriptions.ts';
import { cancelSubscription } from '../../domain/billing/subscriptions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /dashboard/v1/subscriptions/{id} */
export const handler = endpoint(route, cancelSubscription);
