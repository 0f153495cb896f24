import { Team } from '../../../table/entities/members.ts';
import { Notification } from '../../../table/entities/notifications.ts';
import { jobAbout } from '../jobs.ts';
import { announce, type MailDeps, mailDigest } from './digest.ts';
import { mailInvitation } from './invitation.ts';

/** Jobs that send emails (docs/decisions/0066-emails.md). */
export const MAIL_JOBS = {
  /** Hands over one job per member, so that an address that SES refuses does not delay the others. */
  'notification.announce': jobAbout(Notification, announce),
  'notification.mail': jobAbout(Notification, mailDigest),
  'invitation.mail': jobAbout(Team, (deps: MailDeps, { accountId }, id) => mailInvitation(deps, accountId, id)),
};
