import { getAppRequests as route } from '../../contract/apps/metrics.ts';
import { readRequests } from '../../domain/apps/requests.ts';
import { appRequests } from '../../runtime/bindings/app-requests.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/apps/{id}/requests */
export const handler = endpoint(route, readRequests, { cellOf: cellsWith({ appRequests }) });
