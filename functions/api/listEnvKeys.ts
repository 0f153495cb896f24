import { listEnvKeys as route } from '../../contract/apps/environment.ts';
import { listEnvKeys } from '../../domain/apps/environment.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/apps/{id}/env */
export const handler = endpoint(route, listEnvKeys);
