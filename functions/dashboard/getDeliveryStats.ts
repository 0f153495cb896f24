import { getDeliveryStats as route } from '../../contract/webhooks/management.ts';
import { readDeliveryStats } from '../../domain/webhooks/search.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/webhooks/{id}/stats */
export const handler = endpoint(route, readDeliveryStats);
