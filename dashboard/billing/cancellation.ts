import { DEFAULT_PLAN, PLAN_GRACE_DAYS } from '../../contract/billing/plans.ts';
import { formatDate } from '../ui/TimeAgo.tsx';
import type { Subscription } from './api.ts';

/** Returns what happens to the applications of an account whose plan is cancelled, or to the files and mail of its hosting. */
function consequenceOf({ plan, hostingDomain }: Pick<Subscription, 'plan' | 'hostingDomain'>, isOver: boolean): string {
  if (plan.category !== 'APP')
    return `${plan.category === 'WEB' ? 'The files and mail' : 'The mailboxes'} of ${hostingDomain} are deleted ${isOver ? 'immediately' : 'then'}, unless you have another plan for this domain.`;
  if (plan.slug === DEFAULT_PLAN.slug) return `Every account has ${plan.name} free: nothing else changes.`;
  return `Your account then moves to ${DEFAULT_PLAN.name} (${DEFAULT_PLAN.appLimit} application). Applications beyond that limit are suspended ${PLAN_GRACE_DAYS} days later.`;
}

/**
 * Returns what the cancellation of a subscription means, for its confirmation. A subscription whose renewal is not paid may have no paid time left.
 * @param now epoch milliseconds
 */
export function describeCancellation(
  { currentPeriodEnd, ...subscription }: Pick<Subscription, 'plan' | 'hostingDomain' | 'currentPeriodEnd'>,
  now: number,
): string {
  const isOver = Date.parse(currentPeriodEnd) <= now;
  const end = isOver
    ? 'Its paid period is over: the plan ends immediately, and its unpaid invoice becomes void.'
    : `The plan stays active until ${formatDate(currentPeriodEnd)} and is not renewed.`;
  return `${end} ${consequenceOf(subscription, isOver)}`;
}
