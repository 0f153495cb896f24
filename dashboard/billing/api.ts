import { getMe } from '../../contract/accounts/me.ts';
import { getInvoice, listInvoices, payInvoice } from '../../contract/billing/invoices.ts';
import { listPlans } from '../../contract/billing/plans.ts';
import { cancelSubscription, createSubscription, listSubscriptions } from '../../contract/billing/subscriptions.ts';
import { createTopUp, getAutoTopUp, getTopUp, setAutoTopUp } from '../../contract/billing/top-ups.ts';
import { getWallet } from '../../contract/billing/wallet.ts';
import type { Output } from '../../contract/route.ts';
import { useAct } from '../api/act.ts';
import { recovery } from '../api/queries.ts';
import { useList } from '../api/use-api-list.ts';
import { useRead } from '../api/use-api-query.ts';

export type AutoTopUpSettings = Output<typeof getAutoTopUp>['data'];
export type Wallet = Output<typeof getWallet>['data'];
export type Invoice = Output<typeof listInvoices>['data'][number];
export type InvoiceWithLines = Output<typeof getInvoice>['data'];
export type Plan = Output<typeof listPlans>['data'][number];
export type Subscription = Output<typeof listSubscriptions>['data'][number];

/** What is different once money has moved. */
const MONEY = [getWallet, listInvoices, getInvoice, getMe];

export const useWallet = () => useRead(getWallet);
export const useTopUp = () => useAct(createTopUp);
export const useAutoTopUp = () => useRead(getAutoTopUp);
export const useSetAutoTopUp = () => useAct(setAutoTopUp, [getAutoTopUp, getWallet]);

/** A card payment that the browser has come back from, followed until it is decided. */
export const usePayment = (id: string) =>
  useRead(
    getTopUp,
    { params: { id } },
    { refetchInterval: (query) => recovery(query) || (query.state.data?.data.status === 'PENDING' ? 1500 : false) },
  );

export type InvoiceStatus = Invoice['status'];
export const PAGE_SIZE = 25;

/** One page of invoices; the page before stays to be seen while the next is read. */
export const useInvoices = (status: InvoiceStatus | '', offset: number) =>
  useRead(
    listInvoices,
    { query: { limit: String(PAGE_SIZE), offset: String(offset), ...(status === '' ? {} : { status }) } },
    { placeholderData: (before) => before },
  );
export const useInvoice = (id: string) => useRead(getInvoice, { params: { id } });
export const usePayInvoice = () => useAct(payInvoice, MONEY);

export const usePlans = () => useRead(listPlans, undefined, { staleTime: 60_000 });
export const useSubscriptions = () => useList(listSubscriptions);
export const useSubscribe = () => useAct(createSubscription, [listSubscriptions, ...MONEY]);
export const useCancelSubscription = () => useAct(cancelSubscription, [listSubscriptions, ...MONEY]);
