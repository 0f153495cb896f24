import {
  Dispute,
  Invoice,
  InvoiceByStatus,
  invoicesOf,
  KnownCard,
  Subscription,
  subscriptionsOf,
  TopUp,
  WalletTransaction,
  walletOf,
} from '../../../../table/entities/billing.ts';
import { FormerHostingDomain, HostingAccount, HostingDomain } from '../../../../table/entities/hosting.ts';
import { type Contents, defineContents, defineUnread } from '../contents.ts';
import { keyedReader, listReader, partitionReader } from '../item-readers.ts';

const readSubscriptions = partitionReader(Subscription, subscriptionsOf);

/** Contents of an account: plans, hosting and money. */
export const BILLING_CONTENTS: readonly Contents[] = [
  defineContents(
    Subscription,
    'tax',
    {
      file: 'subscriptions',
      shows: [
        'id',
        'plan',
        'billingCycle',
        'priceCents',
        'status',
        'hostingDomain',
        'currentPeriodEnd',
        'renewal',
        'panel',
        'createdAt',
        'cancelledAt',
      ],
      omits: { accountId: 'elsewhere', dueAt: 'internal' },
    },
    readSubscriptions,
  ),
  // When these items are removed, the servers have already removed the accounts.
  defineContents(
    HostingAccount,
    'removed',
    {
      file: 'hosting-accounts',
      shows: ['id', 'server', 'username', 'status', 'mail', 'problem'],
      omits: {
        accountId: 'elsewhere',
        adoptions: 'internal',
        removing: 'internal',
        creatingUntil: 'internal',
        failures: 'internal',
        dueAt: 'internal',
      },
    },
    keyedReader(readSubscriptions, HostingAccount, ({ accountId, id }) => [{ accountId, id }]),
  ),
  defineUnread(HostingDomain, 'teardown', 'elsewhere'),
  defineUnread(FormerHostingDomain, 'expires', 'elsewhere'),
  defineContents(
    WalletTransaction,
    'tax',
    {
      file: 'wallet-transactions',
      shows: ['serial', 'type', 'amountCents', 'balanceAfterCents', 'description', 'createdAt'],
      omits: { accountId: 'elsewhere' },
    },
    partitionReader(WalletTransaction, walletOf),
  ),
  defineContents(
    Invoice,
    'tax',
    {
      file: 'invoices',
      shows: [
        'id',
        'number',
        'kind',
        'status',
        'amountCents',
        'vatCents',
        'issuedAt',
        'payBy',
        'paidAt',
        'subjectId',
        'lines',
      ],
      omits: { accountId: 'elsewhere', countsAsOrder: 'internal', voidAt: 'internal' },
    },
    listReader(Invoice, invoicesOf),
  ),
  defineContents(
    InvoiceByStatus,
    'tax',
    'elsewhere',
    keyedReader(listReader(Invoice, invoicesOf), InvoiceByStatus, (invoice) => [invoice]),
  ),
  // No list of an account contains them. They contain an amount but no personal data. The wallet's transactions show the money.
  defineUnread(TopUp, 'stays', 'elsewhere'),
  defineUnread(Dispute, 'stays', 'elsewhere'),
  // In the account's own partition, where the deletion finds it without a reader.
  defineUnread(KnownCard, 'removed', 'secret'),
];
