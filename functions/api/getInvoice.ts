import { getInvoice as route } from '../../contract/billing/invoices.ts';
import { getInvoice } from '../../domain/billing/invoice-views.ts';
import { seller } from '../../runtime/bindings/seller.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/invoices/{id} */
export const handler = endpoint(route, getInvoice, { seller });
