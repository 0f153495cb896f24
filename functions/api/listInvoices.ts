import { listInvoices as route } from '../../contract/billing/invoices.ts';
import { listInvoices } from '../../domain/billing/invoice-views.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/invoices */
export const handler = endpoint(route, listInvoices);
