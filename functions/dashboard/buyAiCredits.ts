import { buyAiCredits as route } from '../../contract/ai/management.ts';
import { buyCredits } from '../../domain/ai/purchases.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/ai/credits */
export const handler = endpoint(route, buyCredits);
