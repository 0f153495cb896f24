import { replaceEnv as route } from '../../contract/apps/environment.ts';
import { replaceEnv } from '../../domain/env.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { secrets } from '../../runtime/secrets.ts';

/** PUT /v1/apps/{id}/env */
export const handler = endpoint(route, replaceEnv, { secrets });
