import { getMe } from '../../contract/accounts/me.ts';
import { listInvoices } from '../../contract/billing/invoices.ts';
import { getWallet } from '../../contract/billing/wallet.ts';
import { addDnsRecord, deleteDnsRecord, listDnsRecords } from '../../contract/dns/records.ts';
import { checkDomain } from '../../contract/registrar/catalogue.ts';
import { getDomain, listDomains } from '../../contract/registrar/domains.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import type { Output } from '../../contract/route.ts';
import { useAct } from '../api/act.ts';
import { recovery } from '../api/queries.ts';
import { useList } from '../api/use-api-list.ts';
import { useRead } from '../api/use-api-query.ts';

export type Domain = Output<typeof getDomain>['data'];
export type Availability = Output<typeof checkDomain>['data'][number];
export type DnsRecord = Output<typeof listDnsRecords>['data'][number];

/** How often a registration under way is looked at, in milliseconds. */
const UNDER_WAY = 3000;
const isPending = ({ status }: Domain): boolean => status === 'PENDING';

export const useDomains = () =>
  useList(listDomains, {}, { every: (domains) => (domains.some(isPending) ? UNDER_WAY : false) });
export const useDomain = (id: string) =>
  useRead(
    getDomain,
    { params: { id } },
    {
      refetchInterval: (query) =>
        recovery(query) || (query.state.data && isPending(query.state.data.data) ? UNDER_WAY : false),
    },
  );

/** Whether a name is free, and the same name in other extensions. Asked when there is a name. */
export const useCheck = (q: string) => useRead(checkDomain, { query: { q } }, { enabled: q !== '', staleTime: 60_000 });
export const useMe = () => useRead(getMe);
export const useOrderDomain = () => useAct(orderDomain, [listDomains, listInvoices, getWallet, getMe]);

export const useRecords = (id: string) => useRead(listDnsRecords, { params: { id } });
export const useAddRecord = () => useAct(addDnsRecord, [listDnsRecords]);
export const useDeleteRecord = () => useAct(deleteDnsRecord, [listDnsRecords]);
