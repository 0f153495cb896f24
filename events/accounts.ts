import { reviewChangedAccount } from '../domain/processes/plan-limit.ts';
import { applySuspension } from '../domain/processes/suspension.ts';
import { Account } from '../table/entities/accounts.ts';
import { on, type Rules } from './on.ts';

export type AccountRuleDeps = Parameters<typeof applySuspension>[0];

/** Rules about accounts. */
export const accountRules = (deps: AccountRuleDeps): Rules => ({
  'account.apply-suspension': on(Account).sets('suspensionVersion', ({ id }) => applySuspension(deps, id)),
  'account.review-plan-limit': on(Account).changes(['plan', 'limits', 'appCount'], (account) =>
    reviewChangedAccount(deps, account),
  ),
});
