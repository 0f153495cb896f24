import { replaceEnv as route } from '../../contract/apps/environment.ts';
import { replaceEnv } from '../../domain/apps/environment.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /v1/apps/{id}/env */
export const handler = endpoint(route, replaceEnv, { secrets });
