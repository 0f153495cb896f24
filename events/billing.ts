import { considerAutoTopUp } from '../domain/billing/auto-top-up.ts';
import { addPaidPeriod, clearRenewal } from '../domain/billing/lifecycle.ts';
import { payUnpaidInvoices } from '../domain/billing/unpaid-invoices.ts';
import type { Deps } from '../domain/deps.ts';
import { Account } from '../table/entities/accounts.ts';
import { Dispute, Invoice, TopUp, WalletTransaction } from '../table/entities/billing.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';
import { above, not, present } from './trigger.ts';

/** Rules about wallets, invoices and subscriptions. */
export const billingRules = (deps: Deps & HandOverDeps): Rules => ({
  'wallet.pay-unpaid-invoices': on(WalletTransaction).created({ amountCents: above(0) }, ({ accountId }) =>
    payUnpaidInvoices(deps, accountId),
  ),
  'wallet.pay-unpaid-invoices-after-dispute': on(Dispute).becomes(
    // A lost dispute ends its freeze too, which may be larger than the amount that is taken.
    { status: not('OPEN') },
    ({ accountId }) => payUnpaidInvoices(deps, accountId),
  ),
  'wallet.top-up-low-balance': on(Account).changes(
    ['walletVersion', 'frozenCents', 'autoTopUp', 'autoTopUpId', 'card', 'suspension', 'deletion'],
    { autoTopUp: present },
    ({ id }) => considerAutoTopUp(deps, id),
  ),
  'wallet.top-up-for-invoice': on(Invoice).created({ status: 'UNPAID' }, ({ accountId }) =>
    considerAutoTopUp(deps, accountId),
  ),
  'wallet.charge-card': on(TopUp).created(
    { automatic: true },
    handOverTo(deps, 'payments', TopUp)('wallet.charge-card'),
  ),
  'subscription.add-paid-period': on(Invoice).becomes({ kind: 'PLAN', status: 'PAID', subjectId: present }, (invoice) =>
    addPaidPeriod(deps, invoice),
  ),
  'subscription.forget-renewal': on(Invoice).becomes({ kind: 'PLAN', status: 'VOID', subjectId: present }, (invoice) =>
    clearRenewal(deps, invoice),
  ),
});
