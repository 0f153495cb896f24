import { listInvoices } from '../../contract/billing/invoices.ts';
import type { Output } from '../../contract/route.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type UnpaidInvoices = Output<typeof listInvoices>;

export const useUnpaidInvoices = () => useApiQuery(listInvoices, { query: { status: 'UNPAID', limit: '100' } });
