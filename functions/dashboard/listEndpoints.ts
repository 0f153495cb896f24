import { listEndpoints as route } from '../../contract/webhooks/management.ts';
import { listEndpoints } from '../../domain/webhooks/management.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/webhooks */
export const handler = endpoint(route, listEndpoints);
