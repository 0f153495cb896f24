import { listApps as route } from '../../contract/apps/apps.ts';
import { listApps } from '../../domain/apps.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** GET /v1/apps */
export const handler = endpoint(route, listApps);
