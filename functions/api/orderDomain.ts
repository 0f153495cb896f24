import { orderDomain as route } from '../../contract/registrar/orders.ts';
import { orderDomain } from '../../domain/registrar/orders.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { extensions } from '../../runtime/extensions.ts';

/** POST /v1/domains */
export const handler = endpoint(route, orderDomain, { registrar, extensions });
