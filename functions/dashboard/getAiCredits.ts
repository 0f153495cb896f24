import { getAiCredits as route } from '../../contract/ai/management.ts';
import { readCredits } from '../../domain/ai/ledger.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/ai/credits */
export const handler = endpoint(route, readCredits);
