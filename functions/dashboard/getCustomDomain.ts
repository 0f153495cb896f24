import { getCustomDomain as route } from '../../contract/custom-domains/custom-domains.ts';
import { getCustomDomain } from '../../domain/custom-domains/verify.ts';
import { edgeEndpoint } from '../../runtime/bindings/edge-endpoint.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/apps/{id}/domain */
export const handler = endpoint(route, getCustomDomain, { cellOf: cellsWith({ edgeEndpoint }) });
