import { ApiError } from '../../contract/errors.ts';
import type { Account } from '../../table/entities/accounts.ts';
import { Team, type TeamInvitation, type TeamMember } from '../../table/entities/members.ts';
import { change, create, type Write } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';

/** Reads and writes of an account's members and invitations, which are one item. */

/** The members and invitations as one read found them. */
export interface TeamState {
  account: Account;
  members: readonly TeamMember[];
  invitations: readonly TeamInvitation[];
  /** Version of the stored item; undefined while there is none. */
  version: number | undefined;
}

/** The logins of an account without stored members: the owner who opened it. */
const founders = ({ logins = [], email, name, createdAt }: Account): TeamMember[] =>
  logins.map((subject) => ({ subject, email, name, role: 'owner', joinedAt: createdAt }));

/** Reads the members and invitations of an account, expired invitations included. Throws 404. */
export async function readTeam({ table }: Pick<Deps, 'table'>, accountId: string): Promise<TeamState> {
  // The account after the team: it then has the logins of all members of that version, and one that joins later changes the version.
  const team = await table.get(Team, { accountId });
  const account = await findAccount({ table }, accountId);
  const { members = founders(account), invitations = [], version } = team ?? {};
  return { account, members, invitations, version };
}

const lastOwner = () => new ApiError('conflict', 'An account needs an owner. Make another member an owner first.');

/** Returns the write of changed members and invitations. Throws 409 where no owner is left. */
export function writeTeam(
  { account: { id: accountId }, version, ...before }: TeamState,
  after: Partial<Pick<TeamState, 'members' | 'invitations'>>,
): Write {
  const members = [...(after.members ?? before.members)];
  const invitations = [...(after.invitations ?? before.invitations)];
  if (!members.some(({ role }) => role === 'owner')) throw lastOwner();
  const next = { members, invitations, version: (version ?? 0) + 1 };
  if (version === undefined) return create(Team, { accountId, ...next }, concurrentUpdate);
  return change(Team, { accountId }, { set: next, when: { version: { is: version } } }, concurrentUpdate);
}
