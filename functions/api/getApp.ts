import { getApp as route } from '../../contract/apps/apps.ts';
import { getApp } from '../../domain/apps.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** GET /v1/apps/{id} */
export const handler = endpoint(route, getApp);
