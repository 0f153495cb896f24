import { getHostingDomain as route } from '../../contract/hosting/domains.ts';
import { getHostingDomain } from '../../domain/hosting/subscriptions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/hosting/{id}/domain */
export const handler = endpoint(route, getHostingDomain);
