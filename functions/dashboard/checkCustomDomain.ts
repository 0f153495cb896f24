import { checkCustomDomain as route } from '../../contract/custom-domains/custom-domains.ts';
import { checkCustomDomain } from '../../domain/custom-domains/verify.ts';
import { edgeEndpoint } from '../../runtime/bindings/edge-endpoint.ts';
import { txt } from '../../runtime/bindings/txt-records.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/apps/{id}/domain/check */
export const handler = endpoint(route, checkCustomDomain, { txt, cellOf: cellsWith({ edgeEndpoint }) });
