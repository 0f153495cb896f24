import type {
  leaveAccount as LeaveRoute,
  listMembers as ListRoute,
  removeMember as RemoveRoute,
  updateMember as UpdateRoute,
} from '../../contract/accounts/members.ts';
import { ApiError } from '../../contract/errors.ts';
import { ACCOUNT_HEADER } from '../../contract/roles.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account, Login } from '../../table/entities/accounts.ts';
import type { TeamMember } from '../../table/entities/members.ts';
import { change, create, type Write } from '../../table/writes.ts';
import { retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { isOpen, view as viewInvitation } from './invitations.ts';
import { newAccountOf } from './logins.ts';
import { type Membership, membershipOf, membershipsOf, setMemberships } from './membership.ts';
import { readTeam, writeTeam } from './team.ts';

/** Members of an account and their roles (docs/decisions/0058-members-and-notifications.md). */

const view = ({ subject: id, email, name, role, joinedAt }: TeamMember, { session }: Caller) => ({
  id,
  email,
  name,
  role,
  joinedAt,
  isYou: session?.subject === id,
});

/** GET /dashboard/v1/members */
export async function listMembers(deps: Deps, caller: Caller): Promise<Output<typeof ListRoute>> {
  const { members, invitations } = await readTeam(deps, caller.accountId);
  const open = invitations.filter(isOpen(deps.now()));
  return { data: { members: members.map((member) => view(member, caller)), invitations: open.map(viewInvitation) } };
}

const noSuchMember = () => new ApiError('not_found', 'Member not found.');

/** Reads a member with its account and its login. Throws 404. */
async function findMember(deps: Deps, accountId: string, subject: string) {
  const [team, login] = await Promise.all([readTeam(deps, accountId), deps.table.get(Login, { subject })]);
  const member = team.members.find((candidate) => candidate.subject === subject);
  const membership = login && membershipOf(login, accountId);
  if (!member || !login || !membership) throw noSuchMember();
  return { team, member, login, membership };
}

/** PATCH /dashboard/v1/members/{id}. The role applies from the login's next request. Throws 409 for the last owner. */
export async function updateMember(
  deps: Deps,
  caller: Caller,
  { id: subject, role }: Input<typeof UpdateRoute>,
): Promise<Output<typeof UpdateRoute>> {
  const { accountId } = caller;
  const update = async (): Promise<Output<typeof UpdateRoute>> => {
    const { team, member, login } = await findMember(deps, accountId, subject);
    const changed = { ...member, role };
    const output = { data: view(changed, caller) };
    if (member.role === role) return output;
    const memberships = membershipsOf(login).map((membership) =>
      membership.accountId === accountId ? { ...membership, role } : membership,
    );
    const members = team.members.map((candidate) => (candidate === member ? changed : candidate));
    const writes = [
      writeTeam(team, { members }),
      change(Account, { id: accountId }, { set: emailOf(team.account, members) }),
      ...setMemberships(login, memberships),
    ];
    const audited = ({ email, role }: TeamMember) => ({ email, role });
    return await deps.commit(writes, output, { subjectId: subject, before: audited(member), after: audited(changed) });
  };
  return await retryRequest(update);
}

/**
 * Returns the writes that end a membership. A login always has an account: a login that leaves its last account gets a new, empty
 * one.
 */
function endMembership(deps: Deps, login: Login, accountId: string, { email, name }: TeamMember): Write[] {
  const remaining = membershipsOf(login).filter((membership) => membership.accountId !== accountId);
  if (remaining.length > 0) return setMemberships(login, remaining);
  const account = newAccountOf(deps, login.subject, { email: login.email ?? email, name: login.name ?? name });
  const membership: Membership = { accountId: account.id, role: 'owner', accountName: account.name };
  return [create(Account, account), ...setMemberships(login, [membership])];
}

/**
 * Returns the account's email address after a change of its members. It must be an owner's, because receipts, invoices and the deletion
 * use it. If its holder is no longer an owner, the longest-standing owner's address replaces it.
 */
function emailOf({ email }: Account, members: readonly TeamMember[]): Pick<Account, 'email'> {
  const owners = members.filter(({ role }) => role === 'owner');
  return { email: (owners.find((owner) => owner.email === email) ?? owners[0])?.email ?? email };
}

type FoundMember = Awaited<ReturnType<typeof findMember>>;

async function removeFromTeam(
  deps: Deps,
  accountId: string,
  subject: string,
  check?: (found: FoundMember) => void,
): Promise<Output<typeof RemoveRoute>> {
  const found = await findMember(deps, accountId, subject);
  check?.(found);
  const { team, member, login } = found;
  const members = team.members.filter((candidate) => candidate !== member);
  // Removes by index: only a change of the team moves the entries. `listLogin` appends without such a change.
  const logins = team.account.logins?.flatMap((listed, index) => (listed === subject ? [index] : [])) ?? [];
  return await deps.commit(
    [
      writeTeam(team, { members }),
      change(Account, { id: accountId }, { set: emailOf(team.account, members), removeAt: { logins } }),
      ...endMembership(deps, login, accountId, member),
    ],
    { data: { id: subject, deleted: true } },
    { subjectId: subject, before: { email: member.email, role: member.role } },
  );
}

/** DELETE /dashboard/v1/members/{id}. The login's next request in this account is refused. Throws 409 for the last owner. */
export const removeMember = (
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof RemoveRoute>,
): Promise<Output<typeof RemoveRoute>> => retryRequest(() => removeFromTeam(deps, accountId, id));

/**
 * Throws 409 if the member joined the account by invitation. A request that names no account acts in the login's first account. After the
 * login has left the account that it opened, that is another account, and a repetition of the request must not end this membership too.
 */
function assertOpened({ team: { account }, member }: FoundMember): void {
  if (member.joinedAt === account.createdAt) return;
  const message = `You joined the account "${account.name}" by invitation. Name it in ${ACCOUNT_HEADER} to leave it: ${account.id}.`;
  throw new ApiError('conflict', message);
}

/** DELETE /dashboard/v1/membership. Throws 409 for the last owner, and for an account that the request must name but does not. */
export async function leaveAccount(
  deps: Deps,
  { accountId, session, isNamed }: Caller,
): Promise<Output<typeof LeaveRoute>> {
  if (!session) throw new ApiError('unauthorized');
  const leave = () => removeFromTeam(deps, accountId, session.subject, isNamed ? undefined : assertOpened);
  return await retryRequest(leave);
}
