import { orderDomain as route } from '../../contract/registrar/orders.ts';
import { orderDomain } from '../../domain/registrar/orders.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /v1/domains */
export const handler = endpoint(route, orderDomain, { registrar, tlds });
