import { putProviderKey as route } from '../../contract/ai/management.ts';
import { putProviderKey } from '../../domain/ai/provider-keys.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /dashboard/v1/ai/providers/{id} */
export const handler = endpoint(route, putProviderKey, { secrets });
