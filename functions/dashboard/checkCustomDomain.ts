import { checkCustomDomain as route } from '../../contract/custom-domains/custom-domains.ts';
import { checkCustomDomain } from '../../domain/custom-domains.ts';
import { txt } from '../../runtime/bindings/txt-records.ts';
import { doorAddress } from '../../runtime/door-address.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** POST /dashboard/v1/apps/{id}/domain/check */
export const handler = endpoint(route, checkCustomDomain, { txt, doorAddress });
