import { listDomainPrices as route } from '../../contract/registrar/catalogue.ts';
import { listDomainPrices } from '../../domain/registrar/catalogue.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/domains/pricing */
export const handler = endpoint(route, listDomainPrices, { tlds });
