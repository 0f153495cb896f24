import { deleteApp as route } from '../../contract/apps/apps.ts';
import { deleteApp } from '../../domain/apps/apps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /v1/apps/{id} */
export const handler = endpoint(route, deleteApp);
