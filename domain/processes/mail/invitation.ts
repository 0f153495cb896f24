import { INVITATION_DAYS } from '../../../contract/accounts/members.ts';
import type { JobQueue } from '../../../providers/queues/job-queue.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { Team, type TeamInvitation } from '../../../table/entities/members.ts';
import { isOpen, newLink } from '../../accounts/invitations.ts';
import { reserveInvitation } from '../../accounts/mail-addresses.ts';
import { readTeam, type TeamState, writeTeam } from '../../accounts/team.ts';
import { retryOnConflict } from '../../conflict.ts';
import type { Deps } from '../../deps.ts';
import { timestampAfter } from '../../time.ts';
import type { MailDeps } from './digest.ts';
import { render, shownName } from './messages.ts';

/**
 * Emails with invitations (docs/decisions/0073-more-notifications.md). The email's link has a separate secret, which is created when the
 * email is sent, so that neither the table nor a queue contains it.
 */

/** Time after which another job retries an email that was started and not finished, in milliseconds. */
const CLAIM_MS = 45_000;

/** The address was already sent an invitation within the hour. */
class Refused extends Error {}

/** Hands over one job for each invitation with a new link. */
export async function mailNewInvitations(
  { mails }: { mails: JobQueue },
  team: Team,
  before: Team | undefined,
): Promise<void> {
  const known = new Set(before?.invitations.map(({ hash }) => hash));
  const { accountId } = team;
  const made = team.invitations.filter(({ hash, mail }) => mail === undefined && !known.has(hash));
  if (made.length === 0) return;
  await mails.send(made.map(({ id: detail }) => ({ job: 'invitation.mail', key: Team.key(team), accountId, detail })));
}

/** Returns the email of an invitation. */
export function renderInvitation(accountName: string, { role, expiresAt }: TeamInvitation, link: string) {
  const name = shownName(accountName);
  return render(`Invitation to ${name}`, [
    { text: `You are invited to become a member of ${name}, with the role ${role}.` },
    { text: 'Accept the invitation', url: link },
    {
      text: `The link works once, until ${expiresAt.slice(0, 10)} (${INVITATION_DAYS} days), for the address that this email was sent to.`,
    },
    { text: 'If you did not expect this invitation, ignore this email. Nothing happens without you.' },
  ]);
}

/** Stores the state of an invitation's email, if the invitation still has the same link. Retries on conflicts with other changes of the team. */
const setMail = (
  deps: Deps,
  accountId: string,
  { id, hash }: Pick<TeamInvitation, 'id' | 'hash'>,
  mail: TeamInvitation['mail'],
): Promise<void> =>
  retryOnConflict(async () => {
    const team = await readTeam(deps, accountId);
    if (!team.invitations.some((each) => each.id === id && each.hash === hash)) return;
    await deps.table.transact([writeMail(team, id, mail)]);
  });

const writeMail = (team: TeamState, id: string, mail: TeamInvitation['mail']) =>
  writeTeam(team, {
    invitations: team.invitations.map(({ mail: before, ...each }) =>
      each.id === id ? { ...each, ...(mail ? { mail } : {}) } : { ...each, ...(before ? { mail: before } : {}) },
    ),
  });

/** Sends the email of an invitation, once per link. Sends none to an address that was invited within the hour. */
export async function mailInvitation(deps: MailDeps, accountId: string, id: string): Promise<void> {
  if (!(await deps.table.get(Account, { id: accountId }))) return;
  const now = deps.now();
  const claimedUntil = timestampAfter(now, CLAIM_MS);
  const claim = async () => {
    const team = await readTeam(deps, accountId);
    const invitation = team.invitations.filter(isOpen(now)).find((each) => each.id === id);
    if (!invitation || invitation.mail?.sentAt) return undefined;
    if ((invitation.mail?.claimedUntil ?? '') > now.toISOString()) return 'BUSY' as const;
    const { hash, link } = newLink(deps, accountId, id);
    const invitedFor = `${id}.${invitation.hash}`;
    await deps.table.transact([
      writeMail(team, id, { hash, claimedUntil }),
      reserveInvitation(invitation.email, invitedFor, now, () => new Refused()),
    ]);
    return { invitation, hash, ...renderInvitation(team.account.name, invitation, link) };
  };
  const claimed = await retryOnConflict(claim).catch((error: unknown) => {
    if (error instanceof Refused) return undefined;
    throw error;
  });
  if (claimed === undefined) return;
  if (claimed === 'BUSY') {
    const job = { job: 'invitation.mail', key: Team.key({ accountId }), accountId, detail: id };
    return await deps.mails.send([job], CLAIM_MS / 1000);
  }
  const { invitation, hash, ...content } = claimed;
  try {
    await deps.mailer.send({ to: invitation.email, ...content });
  } catch (error) {
    await setMail(deps, accountId, invitation, undefined);
    throw error;
  }
  await setMail(deps, accountId, invitation, { hash, sentAt: now.toISOString() });
}
