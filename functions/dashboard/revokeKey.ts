import { revokeKey as route } from '../../contract/accounts/api-keys.ts';
import { revokeKey } from '../../domain/accounts/api-keys.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /dashboard/v1/keys/{id} */
export const handler = endpoint(route, revokeKey);
