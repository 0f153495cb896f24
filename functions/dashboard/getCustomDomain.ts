import { getCustomDomain as route } from '../../contract/custom-domains/custom-domains.ts';
import { getCustomDomain } from '../../domain/custom-domains.ts';
import { doorAddress } from '../../runtime/door-address.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** GET /dashboard/v1/apps/{id}/domain */
export const handler = endpoint(route, getCustomDomain, { doorAddress });
