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

/** A subscription and its account, which it may share. */
export interface Sharing {
  subscription: Subscription;
  account: HostingAccount;
}

/** Returns the other subscriptions of the account for the same domain that have, or had, an account on a server. */
export async function findSharing(
  deps: Pick<Deps, 'table'>,
  { accountId, id, hostingDomain }: Subscription,
): Promise<Sharing[]> {
  const all = await deps.table.all(Subscription, subscriptionsOf(accountId));
  const others = all.filter((each) => each.id !== id && each.hostingDomain === hostingDomain);
  const found = await Promise.all(
    others.map(async (subscription) => ({ subscription, account: await deps.table.get(HostingAccount, subscription) })),
  );
  return found.flatMap(({ subscription, account }) => (account ? [{ subscription, account }] : []));
}

/**
 * Returns those that share one account, also where theirs has no server yet. Earlier versions gave each subscription one of its own, on
 * servers of their own.
 */
export const sharersOf = ({ server, username }: HostingAccount, sharing: readonly Sharing[]): Sharing[] =>
  sharing.filter(
    ({ account }) =>
      account.status !== 'REMOVED' && account.username === username && ['', server].includes(account.server),
  );

const RANKS: Record<Required['status'], number> = { ACTIVE: 2, SUSPENDED: 1, REMOVED: 0 };

/**
 * Returns what subscriptions for one domain require together: of those that are served best, web hosting before email, which has no web
 * root, then the one with the most storage, then the newest. What is paid is so usable to its end, whatever smaller plan is bought.
 */
export function requiredOf(subscriptions: readonly [Subscription, ...Subscription[]], now: Date): Required {
  const ranksOf = (each: Subscription): number[] => {
    const { category, storageGb = 0 } = each.plan;
    return [RANKS[desiredStatus(each, now)], category === 'WEB' ? 1 : 0, storageGb, Date.parse(each.createdAt)];
  };
  const isBetter = (one: Subscription, other: Subscription): boolean => {
    const others = ranksOf(other);
    const difference = ranksOf(one).map((rank, at) => rank - (others[at] ?? 0));
    return (difference.find((each) => each !== 0) ?? 0) > 0;
  };
  const best = subscriptions.reduce((chosen, each) => (isBetter(each, chosen) ? each : chosen));
  return { status: desiredStatus(best, now), plan: best.plan.slug };
}
