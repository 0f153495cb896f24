import { createTopUp as route } from '../../contract/billing/top-ups.ts';
import { createTopUp } from '../../domain/billing/top-ups.ts';
import { payments } from '../../runtime/bindings/payments.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/wallet/topups */
export const handler = endpoint(route, createTopUp, { payments });
