import { editApp as route } from '../../contract/apps/apps.ts';
import { updateApp } from '../../domain/apps/apps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PATCH /dashboard/v1/apps/{id} */
export const handler = endpoint(route, updateApp);
