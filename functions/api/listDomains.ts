import { listDomains as route } from '../../contract/registrar/domains.ts';
import { listDomains } from '../../domain/registrar/domains.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/domains */
export const handler = endpoint(route, listDomains);
