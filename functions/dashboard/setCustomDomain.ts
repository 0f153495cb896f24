import { setCustomDomain as route } from '../../contract/custom-domains/custom-domains.ts';
import { setCustomDomain } from '../../domain/custom-domains/set-remove.ts';
import { edgeEndpoint } from '../../runtime/bindings/edge-endpoint.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /dashboard/v1/apps/{id}/domain */
export const handler = endpoint(route, setCustomDomain, { cellOf: cellsWith({ edgeEndpoint }) });
