import { listEndpoints as route } from '../../contract/webhooks/management.ts';
import { listEndpoints } from '../../domain/webhooks/manage.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** GET /dashboard/v1/webhooks */
export const handler = endpoint(route, listEndpoints);
