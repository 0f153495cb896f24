import { getSpending as route } from '../../contract/billing/invoices.ts';
import { readSpending } from '../../domain/billing/spending.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/spending */
export const handler = endpoint(route, readSpending);
