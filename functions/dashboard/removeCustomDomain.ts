import { removeCustomDomain as route } from '../../contract/custom-domains/custom-domains.ts';
import { removeCustomDomain } from '../../domain/custom-domain-choice.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** DELETE /dashboard/v1/apps/{id}/domain */
export const handler = endpoint(route, removeCustomDomain);
