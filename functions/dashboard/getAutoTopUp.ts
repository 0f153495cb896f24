import { getAutoTopUp as route } from '../../contract/billing/top-ups.ts';
import { getAutoTopUp } from '../../domain/billing/auto-top-up.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/wallet/auto-top-up */
export const handler = endpoint(route, getAutoTopUp);
