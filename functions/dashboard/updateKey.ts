import { updateKey as route } from '../../contract/accounts/api-keys.ts';
import { updateKey } from '../../domain/accounts/api-keys.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PATCH /dashboard/v1/keys/{id} */
export const handler = endpoint(route, updateKey);
