import { getTopUp as route } from '../../contract/billing/top-ups.ts';
import { getTopUp } from '../../domain/billing/top-ups.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/wallet/topups/{id} */
export const handler = endpoint(route, getTopUp);
