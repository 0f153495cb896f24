import { createHash, randomBytes } from 'node:crypto';
import {
  type acceptInvitation as AcceptRoute,
  INVITATION_DAYS,
  type inviteMember as InviteRoute,
  MAX_MEMBERS,
  MAX_MEMBERSHIPS,
  type resendInvitation as ResendRoute,
  type revokeInvitation as RevokeRoute,
} from '../../contract/accounts/members.ts';
import { ApiError, accountSuspended } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account, Login } from '../../table/entities/accounts.ts';
import type { TeamInvitation, TeamMember } from '../../table/entities/members.ts';
import { changeOrInspect } from '../../table/writes.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, findAccount } from '../limits/limits.ts';
import { DAY_MS, timestampAfter } from '../time.ts';
import { accountClosing } from './credentials.ts';
import { mayBeInvited, readMailAddress } from './mail-addresses.ts';
import { membershipOf, membershipsOf, setMemberships } from './membership.ts';
import { readTeam, type TeamState, writeTeam } from './team.ts';

/** Invitations to an account. The link's secret is stored as a hash, in the account's own item, and works once. */

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** The text in a link: it names the account and the invitation, so that no index of secrets is needed. */
const tokenOf = (accountId: string, id: string, secret: string) => `${accountId}.${id}.${secret}`;

/** Returns a predicate for invitations that have not expired. */
export const isOpen =
  (now: Date) =>
  ({ expiresAt }: TeamInvitation): boolean =>
    expiresAt > now.toISOString();

/** The invitation as owners see it. */
export const view = ({ id, email, role, invitedBy, createdAt, expiresAt, mail }: TeamInvitation) => ({
  id,
  email,
  role,
  invitedBy,
  createdAt,
  expiresAt,
  emailedAt: mail?.sentAt ?? null,
});

/** Returns a new link of an invitation, and the hash of its secret. The fragment of an address reaches no server's log. */
export function newLink({ settings }: Pick<Deps, 'settings'>, accountId: string, id: string) {
  const secret = randomBytes(24).toString('base64url');
  const link = `${settings.publicUrl}/dashboard/invitation#${tokenOf(accountId, id, secret)}`;
  return { hash: hashOf(secret), link };
}

/** Returns an invitation with a new secret, which was not sent by email yet, and the link that holds the secret. */
function withNewLink(deps: Deps, accountId: string, given: Omit<TeamInvitation, 'hash' | 'expiresAt'>) {
  const { mail: _, ...invitation } = given;
  const expiresAt = timestampAfter(deps.now(), INVITATION_DAYS * DAY_MS);
  const { hash, link } = newLink(deps, accountId, invitation.id);
  return { invitation: { ...invitation, hash, expiresAt }, link };
}

/** Tells whether an email with the invitation will be sent. */
async function isEmailed(deps: Deps, address: string): Promise<boolean> {
  if (deps.settings.mailFrom === undefined) return false;
  return mayBeInvited(await readMailAddress(deps, address), deps.now());
}

const audited = ({ email, role }: Pick<TeamInvitation, 'email' | 'role'>) => ({ email, role });

/** Invitations of the account that are kept when it gets a new one: those that have not expired. */
const openOf = (deps: Deps, { invitations }: TeamState) => invitations.filter(isOpen(deps.now()));

/** POST /dashboard/v1/members/invitations. Throws 409 for a member, for an address that is invited, and at the limit; 429 beyond the day's. */
export async function inviteMember(
  deps: Deps,
  { accountId, email: owner }: Caller,
  { email, role }: Input<typeof InviteRoute>,
): Promise<Output<typeof InviteRoute>> {
  const invite = async (): Promise<Output<typeof InviteRoute>> => {
    const [team, emailed] = await Promise.all([readTeam(deps, accountId), isEmailed(deps, email)]);
    const open = openOf(deps, team);
    const isMember = team.members.some((each) => each.email.toLowerCase() === email);
    if (isMember) throw new ApiError('conflict', `${email} is a member already. Change the role instead.`);
    if (open.some((each) => each.email === email))
      throw new ApiError('conflict', `${email} is invited already. Resend the invitation, or revoke it first.`);
    if (team.members.length + open.length >= MAX_MEMBERS)
      throw new ApiError(
        'conflict',
        `An account has at most ${MAX_MEMBERS} members and invitations. Remove one first.`,
      );
    const id = deps.newId('inv');
    const made = { id, email, role, invitedBy: owner ?? null, createdAt: deps.now().toISOString() };
    const { invitation, link } = withNewLink(deps, accountId, made);
    return await deps.commit(
      [writeTeam(team, { invitations: [...open, invitation] }), countToday(deps, team.account, 'invitationsPerDay')],
      { data: { ...view(invitation), link, isEmailed: emailed } },
      { subjectId: id, after: audited(invitation) },
    );
  };
  return await retryRequest(invite);
}

const noSuchInvitation = () => new ApiError('not_found', 'Invitation not found.');

/** POST /dashboard/v1/members/invitations/{id}/resend: also of one that has expired. Throws 429 beyond the day's. */
export async function resendInvitation(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof ResendRoute>,
): Promise<Output<typeof ResendRoute>> {
  const resend = async (): Promise<Output<typeof ResendRoute>> => {
    const team = await readTeam(deps, accountId);
    const found = team.invitations.find((each) => each.id === id);
    if (!found) throw noSuchInvitation();
    const { invitation, link } = withNewLink(deps, accountId, found);
    const emailed = await isEmailed(deps, found.email);
    const invitations = team.invitations.map((each) => (each === found ? invitation : each));
    return await deps.commit(
      [writeTeam(team, { invitations }), countToday(deps, team.account, 'invitationsPerDay')],
      { data: { ...view(invitation), link, isEmailed: emailed } },
      { subjectId: id, after: audited(invitation) },
    );
  };
  return await retryRequest(resend);
}

/** DELETE /dashboard/v1/members/invitations/{id} */
export async function revokeInvitation(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof RevokeRoute>,
): Promise<Output<typeof RevokeRoute>> {
  const revoke = async (): Promise<Output<typeof RevokeRoute>> => {
    const team = await readTeam(deps, accountId);
    const found = team.invitations.find((each) => each.id === id);
    if (!found) throw noSuchInvitation();
    const invitations = team.invitations.filter((each) => each !== found);
    return await deps.commit(
      [writeTeam(team, { invitations })],
      { data: { id, deleted: true } },
      { subjectId: id, before: audited(found) },
    );
  };
  return await retryRequest(revoke);
}

const noLongerValid = () =>
  new ApiError(
    'not_found',
    'This invitation was used or revoked, or has expired. Ask an owner of the account for another.',
  );

/** Finds the invitation of a token. Throws 404 for one that is unknown, used or expired. */
async function findInvitation(deps: Deps, token: string) {
  const [accountId = '', id, secret = ''] = token.split('.');
  const team = await readTeam(deps, accountId).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'not_found' ? noLongerValid() : error;
  });
  const hash = hashOf(secret);
  const invitation = openOf(deps, team).find((each) => each.id === id && [each.hash, each.mail?.hash].includes(hash));
  if (!invitation) throw noLongerValid();
  return { team, invitation, accountId };
}

/**
 * POST /dashboard/v1/invitations/accept. The person must have signed in with the invited address, which the issuer has
 * verified. Throws 403 for another address, 404 for an invitation that is not valid, 409 for a member.
 */
export async function acceptInvitation(
  deps: Deps,
  { session }: Caller,
  { token }: Input<typeof AcceptRoute>,
): Promise<Output<typeof AcceptRoute>> {
  if (!session) throw new ApiError('unauthorized');
  const { subject } = session;
  const profile = await session.readProfile();
  const accept = async (): Promise<Output<typeof AcceptRoute>> => {
    const { team, invitation, accountId } = await findInvitation(deps, token);
    if (!profile.isVerified || profile.email.toLowerCase() !== invitation.email)
      throw new ApiError(
        'forbidden',
        'This invitation is for another email address. Sign in with the one it was sent to.',
      );
    const login = await deps.table.get(Login, { subject });
    if (!login) throw concurrentUpdate();
    const [own, ...others] = membershipsOf(login);
    if (!own || membershipOf(login, accountId))
      throw new ApiError('conflict', 'You are a member of this account already.');
    if (others.length >= MAX_MEMBERSHIPS)
      throw new ApiError('conflict', `A login is a member of at most ${MAX_MEMBERSHIPS} accounts. Leave one first.`);
    const { account } = team;
    const { role } = invitation;
    const { name: accountName } = await findAccount(deps, own.accountId);
    const member: TeamMember = {
      subject,
      email: profile.email,
      name: profile.name,
      role,
      joinedAt: deps.now().toISOString(),
    };
    const invitations = team.invitations.filter((each) => each !== invitation);
    // A suspension and a deletion find the logins of their account in this list, and come to those that it has by then.
    const listed = {
      append: { logins: [subject] },
      when: { suspension: 'absent' as const, deletion: 'absent' as const },
    };
    const joined = { accountId, role, accountName: account.name };
    return await deps.commit(
      [
        writeTeam(team, { members: [...team.members, member], invitations }),
        changeOrInspect(Account, { id: accountId }, listed, (found) => refusalOf(found) ?? concurrentUpdate()),
        ...setMemberships(login, [{ ...own, accountName }, ...others, joined]),
      ],
      { data: { id: accountId, name: account.name, role } },
      { accountId, subjectId: subject, after: { email: member.email, role } },
    );
  };
  return await retryRequest(accept);
}

/** Returns why an account takes no new members: it is suspended, or will be deleted. */
function refusalOf(account: Account | undefined): Error | undefined {
  if (account?.suspension) return accountSuspended(account.suspension.reason);
  return account?.deletion && accountClosing(account.deletion.endsAt);
}
