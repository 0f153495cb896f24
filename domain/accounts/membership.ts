import { entryOf } from '../../contract/enums.ts';
import type { MemberRole } from '../../contract/roles.ts';
import { Login } from '../../table/entities/accounts.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, type Write } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';

/** The accounts in which a login may act, as the login's item lists them (docs/decisions/0058-members-and-notifications.md). */

export interface Membership {
  accountId: string;
  role: MemberRole;
  /** The account's name; undefined if the login has no other account. */
  accountName: string | undefined;
  /** The reason of the account's suspension. */
  suspended?: string | undefined;
  /** The time at which the account will be deleted. */
  closesAt?: string | undefined;
}

/** Returns the fields of a membership about the account's suspension and deletion, if any. */
const marksOf = ({ suspended, closesAt }: Pick<Membership, 'suspended' | 'closesAt'>) => ({
  ...(suspended === undefined ? {} : { suspended }),
  ...(closesAt === undefined ? {} : { closesAt }),
});

/** Returns the membership in the login's own account, in which it acts unless a request names another. */
const ownMembership = ({ accountId, role = 'owner', accountName, suspended, closesAt }: Login): Membership => ({
  accountId,
  role,
  accountName,
  ...marksOf({ suspended, closesAt }),
});

/** Returns a login's membership in an account; undefined if it has none. */
export function membershipOf(login: Login, accountId: string = login.accountId): Membership | undefined {
  if (accountId === login.accountId) return ownMembership(login);
  // The id is the caller's input, which may be the name of an inherited property.
  const found = entryOf(login.memberships ?? {}, accountId);
  return found && { accountId, ...found };
}

/** Returns every membership of a login, its own account first. */
export const membershipsOf = (login: Login): Membership[] => [
  ownMembership(login),
  ...Object.entries(login.memberships ?? {}).map(([accountId, found]) => ({ accountId, ...found })),
];

/** Returns the write that sets a login's memberships; the first is its own account. It fails if the memberships have changed since the read. */
export function setMemberships(login: Login, [own, ...others]: readonly Membership[]): Write[] {
  if (!own) throw new Error('A login needs an account of its own');
  const { subject, membershipsVersion: version } = login;
  const memberships = Object.fromEntries(
    others.map(({ accountId, role, accountName = accountId, ...marks }) => [
      accountId,
      { role, accountName, ...marksOf(marks) },
    ]),
  );
  const { accountId, role, accountName, ...marks } = own;
  const set = {
    accountId,
    role,
    memberships,
    membershipsVersion: (version ?? 0) + 1,
    ...(accountName === undefined ? {} : { accountName }),
    ...marksOf(marks),
  };
  const remove = (['suspended', 'closesAt'] as const).filter((name) => marks[name] === undefined);
  const when = { membershipsVersion: unchanged(version) };
  return [change(Login, { subject }, { set, remove, when }, concurrentUpdate)];
}
