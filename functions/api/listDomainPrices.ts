import { listDomainPrices as route } from '../../contract/registrar/catalogue.ts';
import { listDomainPrices } from '../../domain/registrar/catalogue.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { extensions } from '../../runtime/extensions.ts';

/** GET /v1/domains/pricing */
export const handler = endpoint(route, listDomainPrices, { extensions });
