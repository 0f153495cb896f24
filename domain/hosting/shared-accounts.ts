import { Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import type { Deps } from '../deps.ts';

/**
 * A server hosts a domain once. Subscriptions of one account for the same domain (email beside web hosting, or a new one while the
 * paid period of a cancelled one runs) therefore share the domain's account on the server: it is what they require together.
 */

/** The account on a server as its subscriptions require it. */
export interface Required {
  status: 'ACTIVE' | 'SUSPENDED' | 'REMOVED';
  /** The plan's slug. */
  plan: string;
}

/**
 * Returns the account status that a subscription requires. A paid period stays usable to its end, cancelled or not
 * (design, Billing).
 */
export function desiredStatus({ status, currentPeriodEnd }: Subscription, now: Date): Required['status'] {
  if (status === 'CANCELLED') return Date.parse(currentPeriodEnd) > now.getTime() ? 'ACTIVE' : 'REMOVED';
  return status;
}

/** Returns the other subscriptions of the account for the same domain. */
export async function findSharing(
  deps: Pick<Deps, 'table'>,
  { accountId, id, hostingDomain }: Subscription,
): Promise<Subscription[]> {
  const all = await deps.table.all(Subscription, subscriptionsOf(accountId));
  return all.filter((each) => each.id !== id && each.hostingDomain === hostingDomain);
}

/** Returns the account on a server that subscriptions have already, if any. */
export async function findSharedAccount(
  deps: Pick<Deps, 'table'>,
  subscriptions: readonly Subscription[],
): Promise<HostingAccount | undefined> {
  const accounts = await Promise.all(subscriptions.map((each) => deps.table.get(HostingAccount, each)));
  return accounts.find((account) => account !== undefined && account.status !== 'REMOVED');
}

const RANKS: Record<Required['status'], number> = { ACTIVE: 2, SUSPENDED: 1, REMOVED: 0 };

/** Returns what subscriptions for one domain require together: of those that are served best, web hosting before email, then the newest. */
export function requiredOf(subscriptions: readonly [Subscription, ...Subscription[]], now: Date): Required {
  const order = (each: Subscription) =>
    `${RANKS[desiredStatus(each, now)]} ${each.plan.category === 'WEB' ? 1 : 0} ${each.createdAt}`;
  const best = subscriptions.reduce((chosen, each) => (order(each) > order(chosen) ? each : chosen));
  return { status: desiredStatus(best, now), plan: best.plan.slug };
}
