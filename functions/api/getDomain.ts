import { getDomain as route } from '../../contract/registrar/domains.ts';
import { getDomain } from '../../domain/domains.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** GET /v1/domains/{id} */
export const handler = endpoint(route, getDomain);
