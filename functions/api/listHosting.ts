import { listHosting as route } from '../../contract/hosting/hosting.ts';
import { listHosting } from '../../domain/hosting/subscriptions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/hosting */
export const handler = endpoint(route, listHosting);
