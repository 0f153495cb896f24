import { updateEnv as route } from '../../contract/apps/environment.ts';
import { updateEnv } from '../../domain/apps/environment.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PATCH /v1/apps/{id}/env */
export const handler = endpoint(route, updateEnv, { secrets });
