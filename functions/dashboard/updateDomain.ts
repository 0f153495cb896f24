import { updateDomain as route } from '../../contract/registrar/renewal.ts';
import { updateDomain } from '../../domain/registrar/auto-renew.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PATCH /dashboard/v1/domains/{id} */
export const handler = endpoint(route, updateDomain, { tlds });
