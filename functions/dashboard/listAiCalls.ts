import { listAiCalls as route } from '../../contract/ai/calls.ts';
import { listCalls } from '../../domain/ai/calls.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/ai/calls */
export const handler = endpoint(route, listCalls);
