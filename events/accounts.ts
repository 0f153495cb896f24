import { payUnpaidInvoices } from '../domain/billing/unpaid-invoices.ts';
import { reviewLimits } from '../domain/databases/use.ts';
import type { Deps } from '../domain/deps.ts';
import { reviewChangedAccount } from '../domain/processes/plan-limit.ts';
import { applySuspension } from '../domain/processes/suspension.ts';
import { Account } from '../table/entities/accounts.ts';
import { on, type Rules } from './on.ts';

/** Rules about accounts. */
export const accountRules = (deps: Deps): Rules => ({
  'account.apply-suspension': on(Account).sets('suspensionVersion', ({ id }) => applySuspension(deps, id)),
  // The platform does not pay domain orders of a suspended account, so they may be left unpaid.
  'account.pay-unpaid-invoices-after-suspension': on(Account).changes(
    'suspension',
    { suspension: undefined },
    ({ id }) => payUnpaidInvoices(deps, id),
  ),
  'account.measure-databases': on(Account).changes(['plan', 'limits'], (account) => reviewLimits(deps, account)),
  'account.review-plan-limit': on(Account).changes(['plan', 'limits', 'appCount'], (account) =>
    reviewChangedAccount(deps, account),
  ),
});
