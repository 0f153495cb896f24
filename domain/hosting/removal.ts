import type { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { unchanged } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change, check, type Write } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { findSharing, type Sharing, sharersOf } from './shared-accounts.ts';

/**
 * A server takes seconds to remove an account, and a new subscription for the domain may come meanwhile. So the removal is decided by a
 * write, which fails where the account was adopted since it was read; once it is decided, no subscription adopts the account any more. Its name is
 * never used again, so that a removal that is carried out late takes nothing away (docs/decisions/0016-web-and-email-hosting.md).
 */

/** Returns the account that a new subscription adopts: one that exists before one that does not yet, and none that is being removed. */
export function findAdoptable(sharing: readonly Sharing[]): HostingAccount | undefined {
  const accounts = sharing.map(({ account }) => account).filter((each) => !each.removing && each.status !== 'REMOVED');
  return accounts.find(({ status }) => status !== 'PENDING') ?? accounts[0];
}

/** The condition of writes that give an account its next check: one that is removed has none, for good. */
export const notRemoved = { status: { isNot: 'REMOVED' } } as const;

/** The condition that an account is still the one that was read. */
export const isSame = ({ server, username }: HostingAccount) => ({
  server: { is: server },
  username: { is: username },
});

/** The write with which an account is adopted. Fails where it is or will be removed. */
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
 * Decides that an account is removed, for all that share it. Throws a conflict where another subscription has adopted it since it was read.
 * @param sharing as it was read with the account
 */
export async function decideRemoval(
  deps: Pick<Deps, 'table' | 'now'>,
  subscription: Subscription,
  account: HostingAccount,
  sharing: readonly Sharing[],
): Promise<void> {
  const ofName = (all: readonly Sharing[]) =>
    all.map((each) => each.account).filter(({ username }) => username === account.username);
  const idsOf = (all: readonly HostingAccount[]) => all.map(({ id }) => id).join();
  const others = ofName(sharing);
  // These items were not read at one moment. Who is in neither reading adopts one of them after the first, which changes that one.
  if (idsOf(ofName(await findSharing(deps, subscription))) !== idsOf(others)) throw concurrentUpdate();
  const sharers = new Set(sharersOf(account, sharing).map(({ subscription: { id } }) => id));
  const removing = deps.now().toISOString();
  const mark = (each: HostingAccount, soon: object) => {
    // One that another check has removed meanwhile is due no more.
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

/** Returns true while another account of the domain is being removed from the server, which hosts a domain once. */
export const isAwaitingRemoval = ({ server, removing }: HostingAccount, sharing: readonly Sharing[]): boolean =>
  !removing &&
  sharing.some(({ account }) => account.removing && account.status !== 'REMOVED' && account.server === server);
