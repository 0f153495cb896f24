import { ApiError } from '../../contract/errors.ts';
import type { Account } from '../../table/entities/accounts.ts';
import { Team, type TeamInvitation, type TeamMember } from '../../table/entities/members.ts';
import { change, create, type Write } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';

/** Reads and writes the members and invitations of an account, which are stored in one item. */

/** The members and invitations at the time of one read. */
export interface TeamState {
  account: Account;
  members: readonly TeamMember[];
  invitations: readonly TeamInvitation[];
  /** Version of the stored item; undefined if it does not exist yet. */
  version: number | undefined;
}

/** Returns the members of an account without a stored team: the owner who opened it. */
const founders = ({ logins = [], email, name, createdAt }: Account): TeamMember[] =>
  logins.map((subject) => ({ subject, email, name, role: 'owner', joinedAt: createdAt }));

/** Reads the members and invitations of an account, expired invitations included. Throws 404. */
export async function readTeam({ table }: Pick<Deps, 'table'>, accountId: string): Promise<TeamState> {
  // Reads the account after the team, so that it has the logins of all members of that version. A member who joins later changes the version.
  const team = await table.get(Team, { accountId });
  const account = await findAccount({ table }, accountId);
  const { members = founders(account), invitations = [], version } = team ?? {};
  return { account, members, invitations, version };
}

const lastOwner = () => new ApiError('conflict', 'An account needs an owner. Make another member an owner first.');

/** Returns the write of changed members and invitations. Throws 409 if no owner remains. */
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
