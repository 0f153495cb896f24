import { listInvoices } from '../../contract/invoices.ts';
import { getMe } from '../../contract/me.ts';
import { useRead } from '../api/read.ts';

export const useMe = () => useRead(getMe);
export const useUnpaid = () => useRead(listInvoices, { query: { status: 'UNPAID', limit: '100' } });
