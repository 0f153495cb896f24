import type { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { unchanged } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change, check, type Write } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { findSharing, type Sharing, sharersOf } from './shared-accounts.ts';

/**
 * A server takes seconds to remove an account, and a new subscription for the domain may arrive in the meantime. Therefore a write decides the
 * removal first. It fails if the account was adopted since it was read, and afterwards no subscription can adopt the account. The user name is
 * never used again, so that a late removal cannot delete a newer account (docs/decisions/0016-web-and-email-hosting.md).
 */

/** Returns the account that a new subscription adopts: preferably one that exists on its server, and never one that is being removed. */
export function findAdoptable(sharing: readonly Sharing[]): HostingAccount | undefined {
  const accounts = sharing.map(({ account }) => account).filter((each) => !each.removing && each.status !== 'REMOVED');
  return accounts.find(({ status }) => status !== 'PENDING') ?? accounts[0];
}

/** The condition of writes that schedule an account's next check: a removed account is never checked again. */
export const notRemoved = { status: { isNot: 'REMOVED' } } as const;

/** The condition that an account still has the server and user name that were read. */
export const sameAccount = ({ server, username }: HostingAccount) => ({
  server: { is: server },
  username: { is: username },
});

/** Returns the write that records the adoption of an account. It fails if the account is removed or its removal is decided. */
export const adopt = ({ accountId, id, username }: HostingAccount): Write =>
  change(
    HostingAccount,
    { accountId, id },
    {
      add: { adoptions: 1 },
      when: { removing: 'absent', ...notRemoved, username: { is: username } },
    },
    concurrentUpdate,
  );

/**
 * Decides the removal of an account for all subscriptions that share it. Throws a conflict if another subscription has adopted the account
 * since it was read.
 * @param sharing the accounts of the same domain, as they were read with the account
 */
export async function decideRemoval(
  deps: Pick<Deps, 'table' | 'now'>,
  subscription: Subscription,
  account: HostingAccount,
  sharing: readonly Sharing[],
): Promise<void> {
  const withSameName = (all: readonly Sharing[]) =>
    all.map((each) => each.account).filter(({ username }) => username === account.username);
  const idsOf = (all: readonly HostingAccount[]) => all.map(({ id }) => id).join();
  const others = withSameName(sharing);
  // The items were not read at the same moment, hence the second read. A subscription that appears in neither read must have adopted one of
  // these accounts after the first read, which changes that account and fails its condition below.
  if (idsOf(withSameName(await findSharing(deps, subscription))) !== idsOf(others)) throw concurrentUpdate();
  const sharers = new Set(sharersOf(account, sharing).map(({ subscription: { id } }) => id));
  const removing = deps.now().toISOString();
  const mark = (each: HostingAccount, soon: object) => {
    // An account that another check has removed in the meantime must not become due again.
    const when = { ...asRead(each), ...notRemoved };
    return change(HostingAccount, each, { set: { removing, ...soon }, when }, concurrentUpdate);
  };
  await deps.table.transact([
    mark(account, {}),
    ...others.map((each) =>
      sharers.has(each.id)
        ? mark(each, schedule(HostingAccount, deps.now()))
        : check(HostingAccount, each, asRead(each), concurrentUpdate),
    ),
  ]);
}

const asRead = ({ username, adoptions }: HostingAccount) => ({
  username: { is: username },
  adoptions: unchanged(adoptions),
});

/** Returns true while another account of the domain is being removed from the server. A server hosts a domain only once. */
export const isAwaitingRemoval = ({ server, removing }: HostingAccount, sharing: readonly Sharing[]): boolean =>
  !removing &&
  sharing.some(({ account }) => account.removing && account.status !== 'REMOVED' && account.server === server);
