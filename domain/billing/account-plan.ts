import { DEFAULT_PLAN } from '../../contract/billing/plans.ts';
import type { Account } from '../../table/entities/accounts.ts';
import type { Subscription } from '../../table/entities/billing.ts';
import type { Change } from '../../table/expressions.ts';
import { reviewSoon } from './account-due.ts';

/** The plan of an account's applications. Its change has the applications reviewed: the new plan may allow more or fewer of them. */

const changeTo = (plan: Account['plan'], now: string): Change => ({ set: { plan, ...reviewSoon(now) } });

/** Returns the change that sets an account's plan, and with it the application limit; none for plans without applications. */
export const accountPlanChange = ({ plan }: Pick<Subscription, 'plan'>, now: string): Change => {
  const { category, slug, name, appLimit = DEFAULT_PLAN.appLimit } = plan;
  return category === 'APP' ? changeTo({ slug, name, appLimit }, now) : {};
};

/** Returns the change that sets the plan of an account without a subscription for applications. */
export const defaultPlanChange = (now: string): Change => changeTo(DEFAULT_PLAN, now);
