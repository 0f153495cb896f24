import { getInvoicePdf as route } from '../../contract/billing/invoices.ts';
import { getInvoicePdf } from '../../domain/billing/invoice-pdf.ts';
import { seller } from '../../runtime/bindings/seller.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/invoices/{id}/pdf */
export const handler = endpoint(route, getInvoicePdf, { seller }, { 'content-type': route.mediaType });
