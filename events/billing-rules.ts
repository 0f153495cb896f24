import type { UnitOfWork } from 'aws-lambda-stream/pipelines/index';
import { considerAutoTopUp } from '../domain/billing/auto-top-up.ts';
import { payOutstanding } from '../domain/billing/unpaid-invoices.ts';
import { addPaidPeriod } from '../domain/billing/lifecycle.ts';
import { chargeTopUp, type PaymentDeps } from '../domain/billing/top-ups.ts';
import { Invoice, TopUp, WalletTransaction } from '../table/entities/billing.ts';
import { Account } from '../table/entities.ts';
import { follow, type Rule } from './consume.ts';

/** What follows from money. */
export const billingRules = (deps: PaymentDeps): Rule[] => [
  {
    id: 'money-that-arrives-pays-what-is-unpaid',
    flavor: follow,
    eventType: 'wallet_transaction-created',
    filters: [({ event }) => Number(event.raw.new?.amountCents) > 0],
    act: ({ event }) => payOutstanding(deps, WalletTransaction.parse(event.raw.new).accountId),
  },
  {
    id: 'low-balance-is-topped-up',
    flavor: follow,
    eventType: 'account-updated',
    filters: [({ event: { raw } }) => Boolean(raw.new?.autoTopUp) && moneyChanged(raw)],
    act: ({ event }) => considerAutoTopUp(deps, Account.parse(event.raw.new).id),
  },
  {
    id: 'unpaid-invoice-is-topped-up-for',
    flavor: follow,
    eventType: 'invoice-created',
    filters: [({ event }) => event.raw.new?.status === 'UNPAID'],
    act: ({ event }) => considerAutoTopUp(deps, Invoice.parse(event.raw.new).accountId),
  },
  ...['invoice-created', 'invoice-updated'].map((eventType) => ({
    id: `paid-period-is-added-when-${eventType}`,
    flavor: follow,
    eventType,
    filters: [
      ({ event: { raw } }: UnitOfWork) =>
        raw.new?.kind === 'PLAN' &&
        raw.new.status === 'PAID' &&
        raw.old?.status !== 'PAID' &&
        Boolean(raw.new.subjectId),
    ],
    act: ({ event }: UnitOfWork) => addPaidPeriod(deps, Invoice.parse(event.raw.new)),
  })),
  {
    id: 'automatic-top-up-charges-the-card',
    flavor: follow,
    eventType: 'top_up-created',
    filters: [({ event }) => event.raw.new?.automatic === true],
    act: ({ event }) => chargeTopUp(deps, TopUp.parse(event.raw.new).id),
  },
];

/** Whether a change of an account is one of its balance, its settings or its card. */
const moneyChanged = ({ new: after, old: before }: { new?: object; old?: object }): boolean => {
  const money = (account: object = {}) => {
    const { walletSerial, autoTopUp, card } = account as Record<string, unknown>;
    return JSON.stringify([walletSerial, autoTopUp, card]);
  };
  return money(after) !== money(before);
};
