import { putProviderKey as route } from '../../contract/ai/management.ts';
import { putProviderKey } from '../../domain/ai-keys.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { secrets } from '../../runtime/secrets.ts';

/** PUT /dashboard/v1/ai/providers/{id} */
export const handler = endpoint(route, putProviderKey, { secrets });
