import { listInvoices } from '../../contract/billing/invoices.ts';
import { getWallet } from '../../contract/billing/wallet.ts';
import { checkDomain } from '../../contract/registrar/catalogue.ts';
import { getDomain, listDomains } from '../../contract/registrar/domains.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import { updateDomain } from '../../contract/registrar/renewal.ts';
import type { Output } from '../../contract/route.ts';
import { recoveryInterval } from '../api/query-client.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type Domain = Output<typeof getDomain>['data'];
export type Availability = Output<typeof checkDomain>['data'][number];

/** True for a domain that is registered or being registered. Others have no records. */
export const isCurrent = ({ status }: Domain): boolean => status === 'ACTIVE' || status === 'PENDING';

/** Returns the label for the end of a domain's term. */
export const expiryLabel = ({ status, autoRenew }: Domain): string =>
  status === 'EXPIRED' ? 'Expired' : autoRenew ? 'Renews' : 'Expires';

/** Returns the label of a domain that was never registered. */
export const notRegistered = ({ status }: Domain): string =>
  status === 'FAILED' ? 'Could not be registered' : 'Not registered yet';

/** True for a name that can be registered here; premium names cannot. */
export const isForSale = ({ available, premium }: Availability): boolean => available && !premium;

/** Poll interval while a registration is pending. */
const ACTIVE_POLL_MS = 3000;
const isPending = ({ status }: Domain): boolean => status === 'PENDING';

/** @param allPages true to load the whole list, so that it can be searched */
export const useDomains = ({ allPages = false } = {}) =>
  useApiList(
    listDomains,
    {},
    { allPages, pollInterval: (domains) => (domains.some(isPending) ? ACTIVE_POLL_MS : false) },
  );
export const useDomain = (id: string) =>
  useApiQuery(
    getDomain,
    { params: { id } },
    {
      refetchInterval: (query) =>
        recoveryInterval(query) || (query.state.data && isPending(query.state.data.data) ? ACTIVE_POLL_MS : false),
    },
  );

/** Switches the automatic renewal of a domain. That may void an invoice. */
export const useUpdateDomain = () => useApiMutation(updateDomain, [getDomain, listDomains, listInvoices]);

/** Checks the availability of a name and of the same name under other TLDs. */
export const useAvailability = (q: string) =>
  useApiQuery(checkDomain, { query: { q } }, { enabled: q !== '', staleTime: 60_000 });
export const useOrderDomain = () => useApiMutation(orderDomain, [listDomains, listInvoices, getWallet]);
