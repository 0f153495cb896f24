import { setAutoTopUp as route } from '../../contract/billing/top-ups.ts';
import { setAutoTopUp } from '../../domain/billing/auto-top-up.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /dashboard/v1/wallet/auto-top-up */
export const handler = endpoint(route, setAutoTopUp);
