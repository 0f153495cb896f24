import { Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import type { Deps } from '../deps.ts';

/**
 * A server hosts a domain only once. Subscriptions of one account for the same domain (email and web hosting, or a new subscription
 * during the paid period of a cancelled one) therefore share one account on the server. Its state is what they require together.
 */

/** State of an account on a server that its subscriptions require. */
export interface RequiredState {
  status: 'ACTIVE' | 'SUSPENDED' | 'REMOVED';
  /** The plan's slug. */
  plan: string;
}

/**
 * Returns the account status that a subscription requires. A paid period stays usable to its end, even after a cancellation.
 */
export function desiredStatus({ status, currentPeriodEnd }: Subscription, now: Date): RequiredState['status'] {
  if (status === 'CANCELLED') return Date.parse(currentPeriodEnd) > now.getTime() ? 'ACTIVE' : 'REMOVED';
  return status;
}

/** A subscription and its account, which other subscriptions may share. */
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
 * Returns the subscriptions that share one account, including those whose account has no server yet. Earlier versions created a separate
 * account for each subscription, on any server; these are not shared.
 */
export const sharersOf = ({ server, username }: HostingAccount, sharing: readonly Sharing[]): Sharing[] =>
  sharing.filter(
    ({ account }) =>
      account.status !== 'REMOVED' && account.username === username && ['', server].includes(account.server),
  );

const RANKS: Record<RequiredState['status'], number> = { ACTIVE: 2, SUSPENDED: 1, REMOVED: 0 };

/**
 * Returns the state that subscriptions for one domain require together. The best status wins; then web hosting wins over email, which has
 * no web root; then the larger storage; then the newer subscription. A paid plan thus stays usable to its end, even if a smaller plan is
 * bought meanwhile.
 */
export function requiredState(subscriptions: readonly [Subscription, ...Subscription[]], now: Date): RequiredState {
  const ranksOf = (each: Subscription): number[] => {
    const { category, storageGb = 0 } = each.plan;
    return [RANKS[desiredStatus(each, now)], category === 'WEB' ? 1 : 0, storageGb, Date.parse(each.createdAt)];
  };
  const isBetter = (candidate: Subscription, current: Subscription): boolean => {
    const currentRanks = ranksOf(current);
    const differences = ranksOf(candidate).map((rank, index) => rank - (currentRanks[index] ?? 0));
    return (differences.find((difference) => difference !== 0) ?? 0) > 0;
  };
  const best = subscriptions.reduce((current, candidate) => (isBetter(candidate, current) ? candidate : current));
  return { status: desiredStatus(best, now), plan: best.plan.slug };
}
