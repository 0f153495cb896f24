import { getAiProviderStats as route } from '../../contract/ai/calls.ts';
import { readProviderStats } from '../../domain/ai/calls.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/ai/provider-stats */
export const handler = endpoint(route, readProviderStats);
