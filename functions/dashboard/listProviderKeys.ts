import { listProviderKeys as route } from '../../contract/ai/management.ts';
import { listProviderKeys } from '../../domain/ai/provider-keys.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/ai/providers */
export const handler = endpoint(route, listProviderKeys);
