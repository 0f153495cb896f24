import { getDomain as route } from '../../contract/domains.ts';
import { getDomain } from '../../domain/domains.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** GET /v1/domains/{id} */
export const handler = endpoint(route, getDomain);
