import { adoptCustomerDomain as route } from '../../contract/operator/settings.ts';
import { adoptCustomerDomain } from '../../domain/operator/settings.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /operator/v1/accounts/{id}/domains */
export const handler = endpoint(route, adoptCustomerDomain, { registrar, dns, tlds });
