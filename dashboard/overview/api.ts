import { getMe } from '../../contract/accounts/me.ts';
import { listInvoices } from '../../contract/billing/invoices.ts';
import type { Output } from '../../contract/route.ts';
import { useRead } from '../api/use-api-query.ts';

export type Account = Output<typeof getMe>['data']['account'];
export type Unpaid = Output<typeof listInvoices>;

export const useMe = () => useRead(getMe);
export const useUnpaid = () => useRead(listInvoices, { query: { status: 'UNPAID', limit: '100' } });
