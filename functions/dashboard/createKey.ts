import { createKey as route } from '../../contract/accounts/api-keys.ts';
import { createKey } from '../../domain/accounts/api-keys.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/keys */
export const handler = endpoint(route, createKey);
