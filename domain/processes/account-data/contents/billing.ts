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
import { type Contents, contents, unread } from '../contents.ts';
import { foundUnder, inPartition, listed } from '../readers.ts';

const subscriptions = inPartition(Subscription, subscriptionsOf);

/** Plans, hosting, and money. */
export const BILLING_CONTENTS: readonly Contents[] = [
  contents(
    Subscription,
    'tax',
    {
      file: 'subscriptions',
      shows: [
        ...([
          'id',
          'plan',
          'billingCycle',
          'priceCents',
          'status',
          'hostingDomain',
          'currentPeriodEnd',
          'renewal',
        ] as const),
        ...(['panel', 'createdAt', 'cancelledAt'] as const),
      ],
      omits: { accountId: 'elsewhere', dueAt: 'internal' },
    },
    subscriptions,
  ),
  // By then the servers have removed all of them.
  contents(
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
    foundUnder(subscriptions, HostingAccount, ({ accountId, id }) => [{ accountId, id }]),
  ),
  unread(HostingDomain, 'teardown', 'elsewhere'),
  unread(FormerHostingDomain, 'expires', 'elsewhere'),
  contents(
    WalletTransaction,
    'tax',
    {
      file: 'wallet-transactions',
      shows: ['serial', 'type', 'amountCents', 'balanceAfterCents', 'description', 'createdAt'],
      omits: { accountId: 'elsewhere' },
    },
    inPartition(WalletTransaction, walletOf),
  ),
  contents(
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
    listed(Invoice, invoicesOf),
  ),
  contents(
    InvoiceByStatus,
    'tax',
    'elsewhere',
    foundUnder(listed(Invoice, invoicesOf), InvoiceByStatus, (invoice) => [invoice]),
  ),
  // No list of an account has them. They name an amount and no person; the money is in the wallet's transactions.
  unread(TopUp, 'stays', 'elsewhere'),
  unread(Dispute, 'stays', 'elsewhere'),
  // In the account's own partition, where its deletion finds it.
  unread(KnownCard, 'removed', 'secret'),
];
