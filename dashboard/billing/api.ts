import { getMe } from '../../contract/accounts/me.ts';
import { getOverview } from '../../contract/accounts/overview.ts';
import { getInvoice, getSpending, listInvoices, payInvoice } from '../../contract/billing/invoices.ts';
import { listPlans } from '../../contract/billing/plans.ts';
import { cancelSubscription, createSubscription, listSubscriptions } from '../../contract/billing/subscriptions.ts';
import { createTopUp, getAutoTopUp, getTopUp, setAutoTopUp } from '../../contract/billing/top-ups.ts';
import { getWallet } from '../../contract/billing/wallet.ts';
import type { Output } from '../../contract/route.ts';
import { recoveryInterval } from '../api/query-client.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type AutoTopUpSettings = Output<typeof getAutoTopUp>['data'];
export type Wallet = Output<typeof getWallet>['data'];
export type Invoice = Output<typeof listInvoices>['data'][number];
export type InvoiceDetails = Output<typeof getInvoice>['data'];
export type Plan = Output<typeof listPlans>['data'][number];
export type Subscription = Output<typeof listSubscriptions>['data'][number];

/** Operations whose reads change when the wallet is charged or credited. */
const BALANCE_ROUTES = [getWallet, listInvoices, getInvoice, getSpending];
/** The same for a card payment, which may also save its card and pay unpaid invoices, which may resume plans. */
export const PAYMENT_ROUTES = [...BALANCE_ROUTES, getAutoTopUp, listSubscriptions, getMe, getOverview];

export const useWallet = () => useApiQuery(getWallet);
export const useTopUp = () => useApiMutation(createTopUp);
export const useAutoTopUp = () => useApiQuery(getAutoTopUp);
export const useSetAutoTopUp = () => useApiMutation(setAutoTopUp, [getAutoTopUp, getWallet]);

/** Reads a card payment and polls until it has succeeded or failed. */
export const usePayment = (id: string) =>
  useApiQuery(
    getTopUp,
    { params: { id } },
    {
      refetchInterval: (query) =>
        recoveryInterval(query) || (query.state.data?.data.status === 'PENDING' ? 1500 : false),
    },
  );

export type Spending = Output<typeof getSpending>['data'];
export const useSpending = () => useApiQuery(getSpending);

export const useInvoices = ({ allPages = false } = {}) => useApiList(listInvoices, {}, { allPages });
export const useInvoice = (id: string) => useApiQuery(getInvoice, { params: { id } });
export const usePayInvoice = () => useApiMutation(payInvoice, BALANCE_ROUTES);

export const usePlans = () => useApiQuery(listPlans, undefined, { staleTime: 60_000 });
export const useSubscriptions = ({ allPages = false } = {}) => useApiList(listSubscriptions, {}, { allPages });
export const useSubscribe = () => useApiMutation(createSubscription, [listSubscriptions, ...BALANCE_ROUTES]);
export const useCancelSubscription = () => useApiMutation(cancelSubscription, [listSubscriptions, ...BALANCE_ROUTES]);
