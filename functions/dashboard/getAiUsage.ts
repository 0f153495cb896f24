import { getAiUsage as route } from '../../contract/ai/management.ts';
import { readUsage } from '../../domain/ai/usage.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/ai/usage */
export const handler = endpoint(route, readUsage);
