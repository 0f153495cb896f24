import { deleteProviderKey as route } from '../../contract/ai/management.ts';
import { deleteProviderKey } from '../../domain/ai/provider-keys.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /dashboard/v1/ai/providers/{id} */
export const handler = endpoint(route, deleteProviderKey);
