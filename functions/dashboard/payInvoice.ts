import { payInvoice as route } from '../../contract/billing/invoices.ts';
import { payOnRequest } from '../../domain/billing/unpaid-invoices.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/invoices/{id}/pay */
export const handler = endpoint(route, payOnRequest);
