import { setCustomDomain as route } from '../../contract/custom-domains/custom-domains.ts';
import { setCustomDomain } from '../../domain/custom-domain-choice.ts';
import { doorAddress } from '../../runtime/door-address.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** PUT /dashboard/v1/apps/{id}/domain */
export const handler = endpoint(route, setCustomDomain, { doorAddress });
