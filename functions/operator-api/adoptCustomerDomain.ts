import { adoptCustomerDomain as route } from '../../contract/operator/settings.ts';
import { adoptCustomerDomain } from '../../domain/operator/settings.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { edgeEndpoint } from '../../runtime/bindings/edge-endpoint.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

const cellOf = cellsWith({ edgeEndpoint });

/** POST /operator/v1/accounts/{id}/domains */
export const handler = endpoint(route, adoptCustomerDomain, { registrar, dns, tlds, cellOf });
