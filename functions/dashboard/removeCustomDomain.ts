import { removeCustomDomain as route } from '../../contract/custom-domains/custom-domains.ts';
import { removeCustomDomain } from '../../domain/custom-domains/set-remove.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /dashboard/v1/apps/{id}/domain */
export const handler = endpoint(route, removeCustomDomain);
