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

/** Invitations to an account. The secret of the link works once. Its hash is stored in the account's team item. */

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Returns the token of a link. It contains the ids of the account and the invitation, so that no index of secrets is needed. */
const tokenOf = (accountId: string, id: string, secret: string) => `${accountId}.${id}.${secret}`;

/** Returns a predicate for invitations that have not expired. */
export const isOpen =
  (now: Date) =>
  ({ expiresAt }: TeamInvitation): boolean =>
    expiresAt > now.toISOString();

/** Returns an invitation as owners see it. */
export const view = ({ id, email, role, invitedBy, createdAt, expiresAt, mail }: TeamInvitation) => ({
  id,
  email,
  role,
  invitedBy,
  createdAt,
  expiresAt,
  emailedAt: mail?.sentAt ?? null,
});

/** Returns a new link of an invitation, and the hash of its secret. The secret is in the URL's fragment, which browsers send to no server. */
export function newLink({ settings }: Pick<Deps, 'settings'>, accountId: string, id: string) {
  const secret = randomBytes(24).toString('base64url');
  const link = `${settings.publicUrl}/dashboard/invitation#${tokenOf(accountId, id, secret)}`;
  return { hash: hashOf(secret), link };
}

/** Returns an invitation with a new secret, marked as not yet emailed, and the link with the secret. */
function withNewLink(deps: Deps, accountId: string, details: Omit<TeamInvitation, 'hash' | 'expiresAt'>) {
  const { mail: _, ...invitation } = details;
  const expiresAt = timestampAfter(deps.now(), INVITATION_DAYS * DAY_MS);
  const { hash, link } = newLink(deps, accountId, invitation.id);
  return { invitation: { ...invitation, hash, expiresAt }, link };
}

/** Returns true if an email with the invitation will be sent. */
async function isEmailed(deps: Deps, address: string): Promise<boolean> {
  if (deps.settings.mailFrom === undefined) return false;
  return mayBeInvited(await readMailAddress(deps, address), deps.now());
}

const audited = ({ email, role }: Pick<TeamInvitation, 'email' | 'role'>) => ({ email, role });

/** Returns the invitations that have not expired. A new invitation replaces the expired ones. */
const openOf = (deps: Deps, { invitations }: TeamState) => invitations.filter(isOpen(deps.now()));

/** POST /dashboard/v1/members/invitations. Throws 409 for a member, an invited address, and at the limit of members; 429 at the daily limit. */
export async function inviteMember(
  deps: Deps,
  { accountId, email: owner }: Caller,
  { email, role }: Input<typeof InviteRoute>,
): Promise<Output<typeof InviteRoute>> {
  const invite = async (): Promise<Output<typeof InviteRoute>> => {
    const [team, emailed] = await Promise.all([readTeam(deps, accountId), isEmailed(deps, email)]);
    const open = openOf(deps, team);
    const isMember = team.members.some((member) => member.email.toLowerCase() === email);
    if (isMember) throw new ApiError('conflict', `${email} is already a member. Change the role instead.`);
    if (open.some((invitation) => invitation.email === email))
      throw new ApiError('conflict', `${email} is already invited. Resend the invitation, or revoke it first.`);
    if (team.members.length + open.length >= MAX_MEMBERS)
      throw new ApiError(
        'conflict',
        `An account has at most ${MAX_MEMBERS} members and invitations. Remove one first.`,
      );
    const id = deps.newId('inv');
    const details = { id, email, role, invitedBy: owner ?? null, createdAt: deps.now().toISOString() };
    const { invitation, link } = withNewLink(deps, accountId, details);
    return await deps.commit(
      [writeTeam(team, { invitations: [...open, invitation] }), countToday(deps, team.account, 'invitationsPerDay')],
      { data: { ...view(invitation), link, isEmailed: emailed } },
      { subjectId: id, after: audited(invitation) },
    );
  };
  return await retryRequest(invite);
}

const noSuchInvitation = () => new ApiError('not_found', 'Invitation not found.');

/** POST /dashboard/v1/members/invitations/{id}/resend. Also resends an expired invitation. Throws 429 at the daily limit. */
export async function resendInvitation(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof ResendRoute>,
): Promise<Output<typeof ResendRoute>> {
  const resend = async (): Promise<Output<typeof ResendRoute>> => {
    const team = await readTeam(deps, accountId);
    const previous = team.invitations.find((candidate) => candidate.id === id);
    if (!previous) throw noSuchInvitation();
    const { invitation, link } = withNewLink(deps, accountId, previous);
    const emailed = await isEmailed(deps, previous.email);
    const invitations = team.invitations.map((candidate) => (candidate === previous ? invitation : candidate));
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
    const invitation = team.invitations.find((candidate) => candidate.id === id);
    if (!invitation) throw noSuchInvitation();
    const invitations = team.invitations.filter((candidate) => candidate !== invitation);
    return await deps.commit(
      [writeTeam(team, { invitations })],
      { data: { id, deleted: true } },
      { subjectId: id, before: audited(invitation) },
    );
  };
  return await retryRequest(revoke);
}

const noLongerValid = () =>
  new ApiError(
    'not_found',
    'This invitation was used or revoked, or has expired. Ask an owner of the account for a new one.',
  );

/** Finds the invitation of a token. Throws 404 for an unknown, used, revoked or expired invitation. */
async function findInvitation(deps: Deps, token: string) {
  const [accountId = '', id, secret = ''] = token.split('.');
  const team = await readTeam(deps, accountId).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'not_found' ? noLongerValid() : error;
  });
  const hash = hashOf(secret);
  const invitation = openOf(deps, team).find(
    (candidate) => candidate.id === id && [candidate.hash, candidate.mail?.hash].includes(hash),
  );
  if (!invitation) throw noLongerValid();
  return { team, invitation, accountId };
}

/**
 * POST /dashboard/v1/invitations/accept. The caller must be signed in with the invited address, and the issuer must have verified
 * it. Throws 403 for another address, 404 for an invalid invitation, 409 for a member.
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
      throw new ApiError('conflict', 'You are already a member of this account.');
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
    const invitations = team.invitations.filter((candidate) => candidate !== invitation);
    // Suspension and deletion find the account's logins in this list, so the list must not change once one of them has begun.
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

/** Returns the error of an account that accepts no new members because it is suspended or scheduled for deletion. */
function refusalOf(account: Account | undefined): Error | undefined {
  if (account?.suspension) return accountSuspended(account.suspension.reason);
  return account?.deletion && accountClosing(account.deletion.endsAt);
}
