import { getDomain as route } from '../../contract/registrar/domains.ts';
import { getDomain } from '../../domain/registrar/domains.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/domains/{id} */
export const handler = endpoint(route, getDomain);
