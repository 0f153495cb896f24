import { getApp as route } from '../../contract/apps/apps.ts';
import { getApp } from '../../domain/apps/apps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/apps/{id} */
export const handler = endpoint(route, getApp);
