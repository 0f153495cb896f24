import { deleteApp as route } from '../../contract/apps/apps.ts';
import { deleteApp } from '../../domain/apps.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** DELETE /v1/apps/{id} */
export const handler = endpoint(route, deleteApp);
