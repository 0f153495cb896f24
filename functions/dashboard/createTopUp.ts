import { createTopUp as route } from '../../contract/billing/top-ups.ts';
import { createTopUp } from '../../domain/top-ups.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { payments } from '../../runtime/payments.ts';

/** POST /dashboard/v1/wallet/topups */
export const handler = endpoint(route, createTopUp, { payments });
