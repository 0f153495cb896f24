import { listApps as route } from '../../contract/apps/apps.ts';
import { listApps } from '../../domain/apps/apps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/apps */
export const handler = endpoint(route, listApps);
